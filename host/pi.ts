// The extension for pi. Nothing of pi is imported: it hands over all that is used.

import { fileURLToPath } from "node:url";
import type { Deps } from "./advisor.ts";
import { PiDesk } from "./pi/desk.ts";
import { PiHost } from "./pi/host.ts";
import type { PiApi, PiContext } from "./pi/types.ts";
import { places } from "./paths.ts";
import { occupy } from "./registry.ts";
import { processOwner } from "./store.ts";
import { spawnWorker } from "./thread.ts";

/** Of package.json; the build puts it here. */
declare const PACKAGE_VERSION: string;

/** The first prompt waits at most this long for the guest to have read its config, so that it is sent with the tool. */
const firstPromptMs = 5_000;

const heard = [
  "input",
  "agent_start",
  "agent_end",
  "turn_end",
  "message_start",
  "message_end",
  "tool_execution_start",
  "tool_execution_end",
  "context",
  "session_before_compact",
  "session_compact",
  "session_compact_failed",
  "session_tree",
];

function depsOf(directory: string): Deps {
  const { home, configHome, dataHome, stateHome } = places();
  return {
    init: { version: PACKAGE_VERSION, host: "pi", hostVersion: "", directory, root: directory, home, configHome, dataHome },
    state: stateHome,
    owner: processOwner(),
    wasm: fileURLToPath(new URL("./superadvisor.wasm", import.meta.url)),
    spawn: spawnWorker(new URL("./worker.cjs", import.meta.url)),
  };
}

/** The extension with other surroundings, for tests. */
export function extension(deps: (directory: string) => Deps): (pi: PiApi) => void {
  return (pi) => {
    let host: PiHost | undefined;
    let leave = () => {};
    let begun = false; // a second copy of the extension only waits

    const desk = new PiDesk(pi, () => (host && begun ? { advisor: host.advisor, session: host.id } : undefined));
    const close = async () => {
      const ending = host;
      host = undefined;
      begun = false;
      leave();
      await ending?.close();
    };
    /** Runs act; no failure of ours is pi's, where it would end the process or block a tool. */
    const on = (name: string, act: (event: unknown, ctx: PiContext) => unknown) =>
      pi.on(name, async (event, ctx) => {
        try {
          return await act(event, ctx);
        } catch {
          return undefined; // a shape that nobody has seen yet, or a session that has ended
        }
      });

    on("session_start", async (_, ctx) => {
      const id = ctx.sessionManager.getSessionId();
      if (host?.id === id) return; // pi says it twice for a new session
      await close();
      const fresh = new PiHost(pi, ctx, desk, id, deps(ctx.cwd));
      host = fresh;
      leave = occupy(`pi ${id}`, () => {
        begun = true;
        fresh.start();
      });
    });
    on("session_shutdown", close);
    for (const name of heard) {
      on(name, async (event, ctx) => {
        if (!host || !begun) return undefined;
        if (name === "input") await host.advisor.begun(firstPromptMs);
        return host?.hear(name, event, ctx);
      });
    }
    // pi runs nothing before this is answered.
    on("tool_call", (event, ctx) => (host && begun ? desk.judge(event, ctx) : undefined));
    desk.register();
  };
}

export default function (pi: PiApi): void {
  try {
    extension(depsOf)(pi);
  } catch {
    // pi ends when an extension does not load; the session goes on without us.
  }
}
