// The one default export, for OpenCode V2 (setup) and V1 (server). Both return at
// once; the advisor starts behind their back.

import * as path from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "@opencode-ai/plugin";
import type { Deps } from "./advisor.ts";
import { spawnWorker } from "./thread.ts";
import { V1Host } from "./opencode/v1.ts";
import { firstLocation, isV2, V2Host } from "./opencode/v2.ts";
import type { V2Context } from "./opencode/v2-types.ts";
import { places, workspaceRoot } from "./paths.ts";
import { occupy } from "./registry.ts";
import { processOwner } from "./store.ts";

/** Of package.json; the build puts it here. */
declare const PACKAGE_VERSION: string;

const id = "opencode-superadvisor";

/** A file of the package, beside this script. A reload adds ?mtime= to the script's own address. */
function beside(name: string): URL {
  const url = new URL(name, import.meta.url);
  url.search = "";
  url.hash = "";
  return url;
}

function deps(host: string, hostVersion: string, directory: string, worktree: string | undefined, options: unknown): Deps {
  const { home, configHome, dataHome, stateHome } = places();
  return {
    init: {
      version: PACKAGE_VERSION,
      host,
      hostVersion,
      directory,
      root: workspaceRoot(directory, worktree),
      home,
      configHome,
      dataHome,
      ...(options === undefined ? {} : { options }),
    },
    state: stateHome,
    owner: processOwner(),
    wasm: fileURLToPath(beside("./superadvisor.wasm")),
    spawn: spawnWorker(beside("./worker.cjs")),
  };
}

const server: Plugin = async (input, options) => {
  try {
    const directory = path.resolve(input.directory);
    const host = new V1Host(input.client, deps("opencode-v1", "", directory, input.worktree, options), options);
    let entered = false;
    const leave = occupy(`opencode-v1 ${directory}`, () => {
      entered = true;
      host.start();
    });
    const { dispose, tool, ...hooks } = host.hooks;
    return {
      ...hooks,
      // A second copy of the plugin registers no second tool.
      ...(entered && tool ? { tool } : {}),
      dispose: async () => {
        leave();
        await dispose?.();
      },
    };
  } catch {
    return {}; // the session goes on without us
  }
};

function setup(context: V2Context): (() => Promise<void>) | undefined {
  try {
    if (!isV2(context)) return undefined;
    const stop = new AbortController();
    let close = async () => {};
    const begin = (directory: string) => {
      const { app, location, options } = context;
      const host = new V2Host(context, directory, deps("opencode-v2", app?.version ?? "", directory, location?.project?.directory, options));
      const leave = occupy(`opencode-v2 ${directory}`, () => host.start());
      close = async () => {
        leave();
        await host.close();
      };
    };
    const directory = context.location?.directory;
    if (directory !== undefined) begin(directory);
    else void firstLocation(context, stop.signal).then((found) => found !== undefined && begin(found)).catch(() => {});
    return async () => {
      stop.abort();
      await close();
    };
  } catch {
    return undefined;
  }
}

export default { id, setup, server };
