// A host's process that starts the advisor, waits until its guest is ready, and has nothing more to do.

import { Advisor } from "../host/advisor.ts";
import { spawnWorker } from "../host/thread.ts";

const [wasm, folder] = process.argv.slice(2) as [string, string];
const alive = setInterval(() => {}, 1000);
const advisor = new Advisor(
  {
    deliver: async () => ({ state: "admitted" }),
    notice: () => {},
    providers: async () => [],
    history: async (session) => ({ type: "history", session }),
    signals: async () => ({}),
    ready: () => clearInterval(alive),
  },
  {
    init: { version: "0.0.0", host: "harness", hostVersion: "", directory: folder, root: folder, home: folder, configHome: folder, dataHome: folder },
    state: folder,
    owner: "test 1 1",
    wasm,
    spawn: spawnWorker(new URL("worker.js", import.meta.url)),
  },
);
advisor.start();
advisor.announce({ type: "session", session: "s1", complete: true });
advisor.send({ type: "text", session: "s1", text: "a batch that still waits" });
