// What a review costs beside its model: node bench-review.entry.js WASM ROOT [rounds]. The real loader in a repository
// of 5,000 files, and a model in another process that answers at once and whose own time is taken off.

import { fork } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { Advisor } from "../host/advisor.ts";
import type { Event } from "../host/protocol.gen.ts";
import { processOwner } from "../host/store.ts";
import type { Spawn } from "../host/thread.ts";
import { type Bar, median, report, round, type Row, runtime } from "./bench-figures.ts";
import { measure, type Part, parts, slots } from "./bench-meter.ts";

// The worker's script: the loader's own, with the meter around its parts.
if (!isMainThread) {
  measure(new Float64Array((workerData as { spent: SharedArrayBuffer }).spent));
  await import("../host/worker.ts");
  await new Promise(() => {}); // what follows is the main thread's
}

const [wasm, , rounds = "100"] = process.argv.slice(2);

/** The model is a process of its own, so that its time is not ours. */
if (wasm === "--model") {
  let script: object[] = [];
  let seen = { requests: 0, bytes: 0, ms: 0 };
  const server = http.createServer((request, response) => {
    const start = performance.now();
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => {
      const message = script.shift() ?? { role: "assistant", content: "silent" };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
      seen = { requests: seen.requests + 1, bytes: Math.max(seen.bytes, bytes), ms: seen.ms + performance.now() - start };
    });
  });
  process.on("disconnect", () => process.exit());
  process.on("message", (next: object[] | "seen") => {
    if (next === "seen") {
      process.send!(seen);
      return;
    }
    script = next;
    seen = { requests: 0, bytes: 0, ms: 0 };
    process.send!(seen);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.send!((server.address() as AddressInfo).port);
  await new Promise(() => {});
}
const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-")));
process.on("exit", () => fs.rmSync(home, { recursive: true, force: true }));
const root = path.join(home, "repository");

const code = (n: number) => Array.from({ length: 40 }, (_, i) => `export function step${n}x${i}(value: number): number {\n  return value * ${i} + helper${n % 7}(value)\n}\n`).join("");
for (let d = 0; d < 50; d++) {
  fs.mkdirSync(path.join(root, `part${d}`), { recursive: true });
  for (let f = 0; f < 100; f++) fs.writeFileSync(path.join(root, `part${d}`, `file${f}.ts`), code(d * 100 + f));
}
fs.writeFileSync(path.join(root, ".gitignore"), "*.log\n/generated/\n");

const model = fork(fileURLToPath(import.meta.url), ["--model"]);
const heard = <T = unknown>() => new Promise<T>((resolve) => model.once("message", resolve as (message: unknown) => void));
const port = await heard<number>();

const spent = new Float64Array(new SharedArrayBuffer(8 * slots.count));
const spawn: Spawn = (setup, hear, died) => {
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...setup, spent: spent.buffer } });
  worker.on("message", hear);
  worker.on("error", (error) => died(String(error)));
  worker.postMessage({ t: "module" }); // which the worker compiles itself
  return { post: (message) => worker.postMessage(message), abandon: () => void worker.terminate() };
};

/** Hears of a note, and keeps it for the session's next turn, where the agent gets to see it. */
let delivered: (note: Event & { session: string }) => void = () => {};
const shown = new Map<string, Event & { session: string }>();
const advisor = new Advisor(
  {
    deliver: async ({ session, id, text }) => (delivered({ type: "user", session, id, text, advisor: true }), { state: "seen" }),
    notice: ({ text }) => console.error(text),
    providers: async () => [],
    history: async (session) => ({ type: "history", session, events: [] }),
    signals: async () => ({}),
  },
  {
    init: {
      version: "0.0.0",
      host: "harness",
      hostVersion: "",
      directory: root,
      root,
      home,
      configHome: home,
      dataHome: home,
      options: { watchdogModel: "fake/m", provider: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "sk-test" }, debounceMs: 0 },
    },
    state: path.join(home, "state"),
    owner: processOwner(),
    wasm: wasm!,
    spawn,
  },
);
fs.mkdirSync(path.join(home, "state"));
const alive = setInterval(() => {}, 1000);
advisor.start();

const calls = (...all: [string, object][]) => ({ role: "assistant", content: "", tool_calls: all.map(([name, args], i) => ({ id: `call_${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } })) });

/** What the reviewer looks at before it speaks. */
const looks: { name: string; bar?: number; calls: (n: number) => [string, object][] }[] = [
  { name: "speaks at once", bar: 15, calls: () => [] },
  {
    name: "10 tool calls: 6 reads, 2 greps in a folder, 2 globs",
    bar: 15,
    calls: (n) => [
      ...Array.from({ length: 6 }, (_, i): [string, object] => ["read", { path: `part${n % 50}/file${i * 7}.ts`, offset: 10, limit: 60 }]),
      ["grep", { pattern: "helper3\\(", path: `part${(n + 1) % 50}` }],
      ["grep", { pattern: "step\\d+x39", path: `part${(n + 2) % 50}` }],
      ["glob", { pattern: `part${n % 50}/*.ts` }],
      ["glob", { pattern: "file1*.ts", path: `part${(n + 3) % 50}` }],
    ],
  },
  { name: "1 grep through all 5,000 files", calls: (n) => [["grep", { pattern: `never${n}there` }]] },
];

/** After the note there is something left to do: its receipt. It ends before the next turn begins. */
async function settled(): Promise<void> {
  for (let calls = -1; calls !== spent[slots.calls]; ) {
    calls = spent[slots.calls]!;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Reviews before those that count, for the compilers of a process that lives for hours. */
const warmUp = 20;
/** A note that is not delivered in this time will never be: a bound is reached, or the advisor is off. */
const patienceMs = 20_000;

const rows: Row[] = [];
const bars: Bar[] = [];
let turn = 0;
for (const look of looks) {
  const samples: Record<"wall" | "cpu" | "posts" | "calls" | "saves" | Part, number>[] = [];
  let seen = { requests: 0, bytes: 0, ms: 0 };
  for (let i = 0; i < Number(rounds) + warmUp; i++) {
    const n = turn++;
    // Fewer sessions than the guest keeps, a place of its own for each note, and fewer notes than a session may have.
    const session = `s${n % 40}-${Math.floor(n / 2000)}`;
    const [part, at] = [n % 50, Math.floor(n / 50) % 100];
    const file = `part${part}/file${at}.ts`;
    const wanted = look.calls(n);
    const script = [
      calls(...(wanted.length > 0 ? wanted : [["read", { path: file, limit: 3 }] as [string, object]])),
      calls(["advise", { note: `Part ${n}: the first step multiplies by 0.`, severity: "concern", verdict: "confirmed", citations: [{ kind: "quote", path: file, line: 2, quote: `  return value * 0 + helper${(part * 100 + at) % 7}(value)`, fact: "it multiplies by 0" }] }]),
    ];
    const told = heard();
    model.send(script);
    await told;
    const note = shown.get(session);
    const events: (Event & { session: string })[] = [
      ...(note ? [note] : []),
      { type: "user", session, id: `m${n}`, text: "Multiply the steps.", typed: true, created: Date.now() },
      { type: "turn_start", session },
      ...Array.from({ length: 10 }, (_, k) => ({ type: "tool" as const, session, message: `a${n}`, call: `c${n}-${k}`, name: "read", input: { filePath: `part${k}/file${k}.ts` }, output: code(n + k).slice(0, 3200) })),
      { type: "text", session, message: `a${n}`, text: "Looked at ten files." },
      { type: "step_end", session, message: `a${n}`, finish: "stop" },
      { type: "turn_end", session, outcome: "ok" },
    ];
    let late: NodeJS.Timeout | undefined;
    const done = new Promise<void>((resolve, reject) => {
      delivered = (of) => {
        shown.set(of.session, of);
        if (of.session === session) resolve();
      };
      late = setTimeout(() => reject(new Error(`bench: turn ${n} had no note within ${patienceMs} ms`)), patienceMs);
    });
    const before = { at: performance.now(), cpu: process.cpuUsage(), spent: spent.slice() };
    if (!advisor.knows(session)) advisor.announce({ type: "session", session, complete: true });
    for (const event of events) advisor.send(event);
    await done;
    clearTimeout(late);
    const whole = performance.now() - before.at;
    const took = spent.map((ms, k) => ms - before.spent[k]!);
    await settled();
    const { user, system } = process.cpuUsage(before.cpu);
    const answer = heard<typeof seen>();
    model.send("seen");
    seen = await answer;
    if (i < warmUp) continue;
    const of = Object.fromEntries(parts.map((name, k) => [name, took[k]!])) as Record<Part, number>;
    of.http -= seen.ms;
    const wall = whole - seen.ms;
    samples.push({ wall, cpu: (user + system) / 1000, ...of, posts: wall - of.guest - of.files - of.store - of.http - of.loader, calls: took[slots.calls]!, saves: took[slots.saves]! });
  }
  const p50 = (key: keyof (typeof samples)[number]) => round(median(samples.map((sample) => sample[key])));
  rows.push({
    reviewer: look.name,
    p50_ms: p50("wall"),
    guest_ms: p50("guest"),
    files_ms: p50("files"),
    store_ms: p50("store"),
    http_ms: p50("http"),
    loader_ms: p50("loader"),
    posts_ms: p50("posts"),
    cpu_ms: p50("cpu"),
    calls: p50("calls"),
    saves: p50("saves"),
    requests: seen.requests,
    bytes: seen.bytes,
  });
  if (look.bar !== undefined) bars.push({ what: `${runtime}: milliseconds of a review beside its model, reviewer ${look.name}`, got: p50("wall"), max: look.bar });
}
model.kill();
await advisor.close();
clearInterval(alive);
report(rows, bars);
