// Where things lie on the person's disk.

import * as os from "node:os";
import * as path from "node:path";

export interface Places {
  home: string;
  configHome: string;
  dataHome: string;
  stateHome: string;
}

/** The XDG folders; a relative value is to be ignored, as their specification says. */
export function places(env: NodeJS.ProcessEnv = process.env): Places {
  const home = env["HOME"] && path.isAbsolute(env["HOME"]) ? env["HOME"] : os.homedir();
  const pick = (name: string, ...fallback: string[]) => {
    const value = env[name];
    return value && path.isAbsolute(value) ? value : path.join(home, ...fallback);
  };
  return {
    home,
    configHome: pick("XDG_CONFIG_HOME", ".config"),
    dataHome: pick("XDG_DATA_HOME", ".local", "share"),
    stateHome: pick("XDG_STATE_HOME", ".local", "state"),
  };
}

/** Our folder under stateHome. */
export const stateFolder = "opencode-superadvisor";

/**
 * The folder that the guest may see: the work tree when it holds the directory
 * and is not the whole disk (OpenCode gives "/" outside of git), else the directory.
 */
export function workspaceRoot(directory: string, worktree: string | undefined): string {
  if (!worktree || !path.isAbsolute(worktree) || path.dirname(worktree) === worktree) return directory;
  const between = path.relative(worktree, directory);
  return between.startsWith("..") || path.isAbsolute(between) ? directory : worktree;
}

/** The folder of the person's advisor.json. pi's lies where PI_CODING_AGENT_DIR says. */
export function configFolder(host: string, home: string, configHome: string, env: NodeJS.ProcessEnv = process.env): string {
  if (host !== "pi") return path.join(configHome, "opencode");
  const moved = env["PI_CODING_AGENT_DIR"];
  if (!moved) return path.join(home, ".pi", "agent");
  return moved === "~" || moved.startsWith("~/") ? path.join(home, moved.slice(1)) : moved;
}
