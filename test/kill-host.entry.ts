// A host's process that is killed: it plays one session, and writes down each delivery, and
// flushes it, before it performs it.
// Arguments: module, state folder, workspace, base URL, log, session, human messages so far, and "first" or "again".

import * as fs from "node:fs";
import { Advisor } from "../host/advisor.ts";
import type { User } from "../host/protocol.gen.ts";
import { processOwner } from "../host/store.ts";
import { spawnWorker } from "../host/thread.ts";

const [wasm, state, workspace, baseURL, log, session, human, life] = process.argv.slice(2) as [string, string, string, string, string, string, string, "first" | "again"];
const out = fs.openSync(log, "a");
setInterval(() => {}, 60_000); // until it is killed

const typed: User = { type: "user", session, id: human, text: "Tidy the module.", typed: true, created: 1_700_000_000_000 };
const advisor = new Advisor(
  {
    deliver: async ({ id, wake }) => {
      fs.writeSync(out, `${JSON.stringify({ session, human, life, wake, id })}\n`);
      fs.fsyncSync(out);
      process.stdout.write("delivered\n");
      return { state: "admitted" };
    },
    notice: ({ text }) => void process.stderr.write(`${text}\n`),
    providers: async () => [],
    history: async () => ({ type: "history", session, events: [typed] }),
    signals: async () => ({}),
  },
  {
    init: {
      version: "0.0.0",
      host: "harness",
      hostVersion: "",
      directory: workspace,
      root: workspace,
      home: state,
      configHome: state,
      dataHome: state,
      options: { watchdogModel: "fake/m", provider: { baseURL, apiKey: "sk-test" }, debounceMs: 0 },
    },
    state,
    owner: processOwner(),
    wasm,
    spawn: spawnWorker(new URL("worker.cjs", import.meta.url)),
  },
);
advisor.start();
advisor.announce({ type: "session", session, complete: life === "first" });
if (life === "first") advisor.send(typed);
advisor.send({ type: "turn_start", session });
advisor.send({ type: "text", session, text: `Working, ${life}.` });
advisor.send({ type: "step_end", session, finish: "tool-calls" });
