// Where things lie on the person's disk.

import * as os from "node:os";
import * as path from "node:path";

export interface Places {
  home: string;
  configHome: string;
  dataHome: string;
  stateHome: string;
}

/** Where the system says that the person is at home; HOME is the first that it looks at, and may be empty. */
const homes: readonly (() => string)[] = [() => os.homedir(), () => os.userInfo().homedir];

/** The XDG folders; a relative value is to be ignored, as their specification says: it would lie in whatever was cloned. */
export function places(env: NodeJS.ProcessEnv = process.env, others = homes): Places {
  const home = absolute([() => env["HOME"] ?? "", ...others]) ?? path.resolve("/nonexistent"); // as for users who have none
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

function absolute(places: readonly (() => string)[]): string | undefined {
  for (const place of places) {
    try {
      const found = place();
      if (path.isAbsolute(found)) return found;
    } catch {
      // A user whom the system does not know, as in a container.
    }
  }
  return undefined;
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
