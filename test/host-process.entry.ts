// A host's process that starts the advisor, waits until its guest is ready (or has been
// given up, as one that hangs is), and has nothing more to do.

import { Advisor } from "../host/advisor.ts";
import { spawnWorker } from "../host/thread.ts";

const [wasm, folder, until] = process.argv.slice(2) as [string, string, "ready" | "off"];
const alive = setInterval(() => {}, 1000);
const advisor = new Advisor(
  {
    deliver: async () => ({ state: "admitted" }),
    notice: () => clearInterval(alive),
    providers: async () => [],
    history: async (session) => ({ type: "history", session }),
    signals: async () => ({}),
    ready: () => {
      if (until === "ready") clearInterval(alive);
      else setImmediate(() => advisor.send({ type: "step_end", session: "s1" }));
    },
  },
  {
    init: { version: "0.0.0", host: "harness", hostVersion: "", directory: folder, root: folder, home: folder, configHome: folder, dataHome: folder },
    state: folder,
    owner: "test 1 1",
    wasm,
    spawn: spawnWorker(new URL("worker.cjs", import.meta.url)),
    deadlines: { callMs: 100, graceMs: 100 },
  },
);
advisor.start();
advisor.announce({ type: "session", session: "s1", complete: true });
advisor.send({ type: "text", session: "s1", text: "a batch that still waits" });
