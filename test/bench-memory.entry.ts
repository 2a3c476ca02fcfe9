// What the advisor holds: node bench-memory.entry.js WASM ROOT [turns]. The guest after 1,000 sessions of 100 turns, and a
// process with the loader beside one without, which both ask the model server in this one once for each turn.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { Advisor } from "../host/advisor.ts";
import type { Event } from "../host/protocol.gen.ts";
import { processOwner } from "../host/store.ts";
import { spawnWorker } from "../host/thread.ts";
import { median, report, round, type Row, runtime } from "./bench-figures.ts";
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
/** Sessions whose turns end together: more than the loader sends at once, so that some wait. */
const together = 20;
/** A collector runs when it likes: one look says little. */
const looks = 5;
/** A host that waits for a review that nobody asks for fails, and does not hang. */
const maxMs = 300_000;

/** Until the model has been asked n times by this process, which only the one that started it knows. */
const asked = (n: number) =>
  new Promise<void>((resolve) => {
    process.once("message", () => resolve());
    process.send!(n);
  });

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
      // A turn that ends while the one before is reviewed would share its review.
      if ((s + 1) % together === 0) await asked(n * sessions + s + 1);
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
/** Bytes that a host holds at its end. */
async function run(how: string): Promise<number> {
  const before = model.requests.length;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), wasm!, how, model.baseURL], { stdio: ["ignore", "pipe", "inherit", "ipc"], timeout: maxMs });
  child.on("message", (n: number) => void model.asked(before + n).then(() => child.send(n)));
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`a process ended with ${code}`);
  const requests = model.requests.length - before;
  if (requests !== sessions * turns) throw new Error(`a process asked ${requests} times, not once for each of ${sessions * turns} turns`);
  return Number(text.trim());
}
const bares: number[] = [];
const wholes: number[] = [];
for (let i = 0; i < looks; i++) {
  bares.push(await run("--bare"));
  wholes.push(await run("--with"));
}
const bare = median(bares);
const whole = median(wholes);
model.stop();

const root = folder();
const player = new Player(wasm!, root);
for (let s = 0; s < 1000; s++) for (let n = 0; n < guestTurns; n++) player.turn(`s${s}`, n);
fs.rmSync(root, { recursive: true, force: true });

const rows: Row[] = [
  { what: `guest after 1,000 sessions of ${guestTurns} turns`, mb: round(player.memory / mb, 1), events: player.events },
  { what: `process with the advisor, ${sessions} sessions of ${turns} turns`, mb: round(whole / mb, 1), reviews: sessions * turns },
  { what: `the same process without, ${sessions * turns} requests of its own`, mb: round(bare / mb, 1) },
];
report(rows, [
  { what: `${runtime}: MB of the guest's memory`, got: round(player.memory / mb, 1), max: 32 },
  { what: `${runtime}: MB of the process above the bare one`, got: round((whole - bare) / mb, 1), max: 60 },
]);
