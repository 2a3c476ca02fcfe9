// What the advisor holds: node bench-memory.entry.js WASM ROOT [turns]. The guest after 1,000 sessions of 100 turns, and a
// process with the loader beside one without, which both send the same to a model server in this one.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { Advisor } from "../host/advisor.ts";
import type { Event } from "../host/protocol.gen.ts";
import { processOwner } from "../host/store.ts";
import { spawnWorker } from "../host/thread.ts";
import { report, round, type Row, runtime } from "./bench-figures.ts";
import { Player } from "./bench-player.ts";
import { ModelServer } from "./model-server.ts";

const mb = 1024 * 1024;
const [wasm, role, given] = process.argv.slice(2);
const isHost = role === "--with" || role === "--bare";
const baseURL = isHost ? given : "";
const guestTurns = isHost ? 0 : Number(given ?? 100);
const folder = () => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-")));
const sessions = 200;
const turns = 5;

/** A host with nothing in it but what it would send to its own model. */
async function host(withAdvisor: boolean): Promise<void> {
  const root = folder();
  let delivered = 0;
  let heard: () => void = () => {};
  const ready = new Promise<void>((resolve) => (heard = resolve));
  const advisor = withAdvisor
    ? new Advisor(
        { deliver: async () => (delivered++, { state: "admitted" }), notice: ({ text }) => console.error(text), providers: async () => [], history: async (session) => ({ type: "history", session, events: [] }), signals: async () => ({}), ready: () => heard() },
        {
          init: { version: "0.0.0", host: "harness", hostVersion: "", directory: root, root, home: root, configHome: root, dataHome: root, options: { watchdogModel: "fake/m", provider: { baseURL, apiKey: "sk-test" }, debounceMs: 0 } },
          state: root,
          owner: processOwner(),
          wasm: wasm!,
          spawn: spawnWorker(new URL("worker.cjs", import.meta.url)),
        },
      )
    : undefined;
  const alive = setInterval(() => {}, 1000);
  advisor?.start();
  if (advisor) await ready;
  const output = "const x = 1 // a line of code, of which there are many\n".repeat(40);
  for (let n = 0; n < turns; n++) {
    for (let s = 0; s < sessions; s++) {
      const session = `s${s}`;
      const events: (Event & { session: string })[] = [
        { type: "user", session, id: `${session}-m${n}`, text: `Go on with ${n}.`, typed: true, created: Date.now() },
        { type: "turn_start", session },
        { type: "tool", session, call: `c${n}`, name: "read", input: { filePath: "a.txt" }, output: `${n} ${output}` },
        { type: "text", session, text: "Looked at it." },
        { type: "step_end", session, finish: "stop" },
        { type: "turn_end", session, outcome: "ok" },
      ];
      if (advisor) {
        if (!advisor.knows(session)) advisor.announce({ type: "session", session, complete: true });
        for (const event of events) advisor.send(event);
      } else {
        await (await fetch(`${baseURL}/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m", messages: [{ role: "user", content: output }] }) })).text();
      }
      if (s % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  // Until nothing more is asked: two looks at the processor's time that agree.
  for (let last = -1; ; ) {
    const { user, system } = process.cpuUsage();
    const now = Math.floor((user + system) / 50_000);
    if (now === last) break;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  console.log(process.memoryUsage.rss());
  clearInterval(alive);
  await advisor?.close();
  fs.rmSync(root, { recursive: true, force: true });
  process.exit(0);
}

if (isHost) await host(role === "--with");

const model = new ModelServer();
await model.start();
const run = (how: string) =>
  new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), wasm!, how, model.baseURL], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.on("close", (code) => (code === 0 ? resolve(Number(text.trim())) : reject(new Error(`a process ended with ${code}`))));
  });
const bare = await run("--bare");
const before = model.requests.length;
const whole = await run("--with");
const reviews = model.requests.length - before;
model.stop();

const root = folder();
const player = new Player(wasm!, root);
for (let s = 0; s < 1000; s++) for (let n = 0; n < guestTurns; n++) player.turn(`s${s}`, n);
fs.rmSync(root, { recursive: true, force: true });

const rows: Row[] = [
  { what: `guest after 1,000 sessions of ${guestTurns} turns`, mb: round(player.memory / mb, 1), events: player.events },
  { what: `process with the advisor, ${sessions} sessions of ${turns} turns`, mb: round(whole / mb, 1), reviews },
  { what: "the same process without", mb: round(bare / mb, 1) },
];
report(rows, [
  { what: `${runtime}: MB of the guest's memory`, got: round(player.memory / mb, 1), max: 32 },
  { what: `${runtime}: MB of the process above the bare one`, got: round((whole - bare) / mb, 1), max: 60 },
]);
