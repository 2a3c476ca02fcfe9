// What the plugin costs the host's thread: node bench-thread.entry.js WASM ROOT [rounds]. First each event of
// steps with 100 KB of tool output, while the guest is busy; then a stream of 1,000 events a second, beside the
// same stream with nobody who hears it. Each figure is the median of the rounds, a max the largest of all.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Advisor, Deps } from "../host/advisor.ts";
import { type V1Client, V1Host } from "../host/opencode/v1.ts";
import { V2Host } from "../host/opencode/v2.ts";
import { spawnWorker } from "../host/thread.ts";
import { type Bar, median, report, round, type Row, runtime, threadMs } from "./bench-figures.ts";
import { writeGuest } from "./fake-guest.ts";

const [, , rounds = "5"] = process.argv.slice(2);
const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-")));
process.on("exit", () => fs.rmSync(home, { recursive: true, force: true }));

const steps = 400;
const streamMs = 2_000;
const stepMs = 200; // of the stream: five steps a second, each of 200 events
const lines = "const x = 1 // a line of code, of which there are many\n".repeat(1900); // about 100 KB

/** A host with one session: what it hears of a step, and of a stream of tokens. */
interface Subject {
  readonly advisor: Advisor;
  close(): Promise<void>;
  begin(): void;
  hear(event: object): void;
  step(i: number, output: string): object[];
  token(i: number, text: string): object;
}

let folders = 0;
let posts = 0;

function deps(ms: number): Deps {
  const directory = path.join(home, String(folders++));
  fs.mkdirSync(directory);
  const spawn = spawnWorker(new URL("worker.cjs", import.meta.url));
  return {
    init: { version: "0.0.0", host: "harness", hostVersion: "", directory, root: directory, home: directory, configHome: directory, dataHome: directory },
    state: directory,
    owner: "bench 1 1",
    wasm: writeGuest(directory, { kind: "busy", ms }),
    spawn: (setup, hear, died) => {
      const thread = spawn(setup, hear, died);
      return { ...thread, post: (message) => (posts++, thread.post(message)) };
    },
    deadlines: { closeMs: 1 },
  };
}

function v2(ms: number): Subject {
  const its = deps(ms);
  const { directory } = its.init;
  const host = new V2Host({ location: { directory }, event: { subscribe: () => silence() }, session: { get: async () => ({}), synthetic: async () => ({}) } }, directory, its);
  host.start();
  let seq = 0;
  const event = (type: string, data: object, durable = true) => ({ id: "evt", created: 1, type, location: { directory }, ...(durable ? { durable: { aggregateID: "s1", seq: seq++ } } : {}), data: { sessionID: "s1", ...data } });
  return {
    advisor: host.advisor,
    close: () => host.close(),
    begin: () => host.hear(event("session.created", { location: { directory } })),
    hear: (one) => host.hear(one),
    step: (i, output) => {
      const call = { assistantMessageID: `m${i}`, callID: `c${i}` };
      return [
        event("session.tool.input.started", { ...call, name: "read" }),
        event("session.tool.called", { ...call, input: { filePath: "a.ts" } }),
        event("session.tool.success", { ...call, structured: {}, content: [{ type: "text", text: output }] }),
        event("session.text.ended", { ...call, text: "Done." }),
        event("session.step.ended", { ...call, finish: "tool-calls", tokens: { input: 1 } }),
      ];
    },
    token: (i) => event("session.text.delta", { assistantMessageID: `m${i}`, textID: `t${i}`, delta: "word " }, false),
  };
}

function v1(ms: number): Subject {
  const host = new V1Host({ session: { get: async () => ({ data: {} }) } } as unknown as V1Client, deps(ms));
  host.start();
  const event = (type: string, properties: object) => ({ event: { type, properties } });
  return {
    advisor: host.advisor,
    close: () => host.close(),
    begin: () => void host.hooks.event!(event("session.created", { info: { id: "s1" } }) as never),
    hear: (one) => void host.hooks.event!(one as never),
    step: (i, output) => {
      const info = { id: `m${i}`, sessionID: "s1", role: "assistant" };
      const part = { messageID: info.id, sessionID: "s1" };
      return [
        event("message.updated", { info }),
        event("message.part.updated", { part: { ...part, id: `t${i}`, type: "tool", tool: "read", callID: `c${i}`, state: { status: "completed", input: { filePath: "a.ts" }, output, metadata: {} } } }),
        event("message.part.updated", { part: { ...part, id: `f${i}`, type: "step-finish", reason: "tool-calls", tokens: { input: 1 } } }),
        event("message.updated", { info: { ...info, time: { completed: 1 } } }),
      ];
    },
    // Versions differ: this one says the whole part again for each token, which is the dearest.
    token: (i, text) => event("message.part.updated", { part: { id: `x${i}`, messageID: `m${i}`, sessionID: "s1", type: "text", text }, delta: "word " }),
  };
}

async function* silence(): AsyncGenerator<never> {
  await new Promise(() => {});
}

async function ready({ advisor }: Subject): Promise<void> {
  while (!advisor.ready) await new Promise((resolve) => setTimeout(resolve, 5));
}

class Samples {
  private readonly all: number[] = [];

  time(act: () => void): void {
    const before = performance.now();
    act();
    this.all.push(performance.now() - before);
  }

  at(share: number): number {
    const sorted = this.all.toSorted((a, b) => a - b);
    return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!, 3);
  }
}

let sum = 0;

/** What the machine itself adds: sums that allocate nothing and wait for nothing. Where these have a long tail, so has everything. */
function additions(): void {
  for (let i = 0; i < 10_000; i++) sum = (sum + i) | 0;
}

/** A tool's output as a host has it: in one piece, where one that was put together here would be copied when it is first read. */
const output = (i: number, text: string) => Buffer.from(`${i} ${text}`).toString();

/** Each event by itself, and the posting of a step, which runs when the host's call is over. The guest is busy for two seconds at a time. */
async function each(make: (ms: number) => Subject) {
  const all: Awaited<ReturnType<typeof once>>[] = [];
  for (let i = 0; i < Number(rounds); i++) all.push(await once(make));
  const mid = (of: (one: (typeof all)[number]) => number) => median(all.map(of));
  const most = (of: (one: (typeof all)[number]) => number) => Math.max(...all.map(of));
  return {
    event_p50_ms: mid((one) => one.events.at(0.5)),
    event_p99_ms: mid((one) => one.events.at(0.99)),
    event_max_ms: most((one) => one.events.at(1)),
    post_p99_ms: mid((one) => one.posting.at(0.99)),
    machine_p99_ms: mid((one) => one.machine.at(0.99)),
    machine_max_ms: most((one) => one.machine.at(1)),
  };
}

async function once(make: (ms: number) => Subject) {
  const subject = make(2_000);
  await ready(subject);
  const events = new Samples();
  const posting = new Samples();
  const machine = new Samples();
  subject.begin();
  for (let i = 0; i < steps; i++) {
    for (const event of subject.step(i, output(i, lines))) {
      events.time(() => subject.hear(event));
      machine.time(additions);
    }
    posting.time(() => subject.advisor.flush());
    await new Promise((resolve) => setImmediate(resolve)); // as there is a turn of the event loop between a host's steps
  }
  await subject.close();
  return { events, posting, machine };
}

/** Plays a stream of 1,000 events a second, and tells how many milliseconds a second of the thread that takes. */
async function play(subject: Subject, heard: boolean, from: number): Promise<number | undefined> {
  const all: object[] = [];
  for (let i = from; all.length < streamMs; i++) {
    const last = subject.step(i, output(i, lines.slice(0, 4_000)));
    for (let n = 1; n <= stepMs - last.length; n++) all.push(subject.token(i, "word ".repeat(n)));
    all.push(...last);
  }
  const cpu = threadMs();
  const began = performance.now();
  for (let next = 0; next < all.length; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const due = Math.min(all.length, Math.floor(performance.now() - began));
    for (; next < due; next++) if (heard) subject.hear(all[next]!);
  }
  const now = threadMs();
  return cpu === undefined || now === undefined ? undefined : ((now - cpu) * 1000) / (performance.now() - began);
}

/** The share of a core that hearing the stream takes from this thread, and what is posted for 1,000 events of it. */
async function stream(make: (ms: number) => Subject) {
  const subject = make(0);
  await ready(subject);
  subject.begin();
  const shares: number[] = [];
  const alone: number[] = [];
  let at = 0;
  const next = () => (at += streamMs / stepMs);
  await play(subject, true, next()); // for the compilers
  await play(subject, false, next());
  posts = 0;
  for (let i = 0; i < Number(rounds); i++) {
    const without = await play(subject, false, next());
    const withUs = await play(subject, true, next());
    if (without === undefined || withUs === undefined) continue;
    shares.push((withUs - without) / 10);
    alone.push(without / 10);
  }
  const each1000 = round(posts / ((Number(rounds) * streamMs) / 1000), 1);
  await subject.close();
  return { posts_per_1000_events: each1000, ...(shares.length > 0 ? { core_percent: round(median(shares)), core_percent_max: round(Math.max(...shares)), core_percent_unheard: round(median(alone)) } : {}) };
}

const rows: Row[] = [];
const bars: Bar[] = [];
for (const [host, make] of [["OpenCode V2", v2], ["OpenCode V1", v1]] as const) {
  const one = await each(make);
  const many = await stream(make);
  rows.push({ host, ...one, ...many });
  bars.push({ what: `${runtime}, ${host}: milliseconds of the host's thread for an event, p99`, got: one.event_p99_ms, max: 0.2 });
  bars.push({ what: `${runtime}, ${host}: posts to the worker for 1,000 events`, got: many.posts_per_1000_events, max: 10 });
  if (many.core_percent !== undefined) bars.push({ what: `${runtime}, ${host}: percent of one core at 1,000 events a second`, got: many.core_percent, max: 1 });
}
report(rows, bars);
process.exit(0);
