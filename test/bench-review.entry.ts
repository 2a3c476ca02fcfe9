// What a review costs beside its model: node bench-review.entry.js WASM ROOT [rounds]. The real loader in a repository
// of 5,000 files, and a model in another process that answers at once.

import { fork } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { Advisor } from "../host/advisor.ts";
import type { Event } from "../host/protocol.gen.ts";
import { processOwner } from "../host/store.ts";
import { spawnWorker } from "../host/thread.ts";
import { type Bar, median, report, round, type Row, runtime } from "./bench-figures.ts";

const [wasm, , rounds = "30"] = process.argv.slice(2);

/** The model is a process of its own, so that its time is not ours. */
if (wasm === "--model") {
  let script: object[] = [];
  let seen = { requests: 0, bytes: 0 };
  const server = http.createServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => {
      seen = { requests: seen.requests + 1, bytes: Math.max(seen.bytes, bytes) };
      const message = script.shift() ?? { role: "assistant", content: "silent" };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
  });
  process.on("message", (next: object[]) => {
    process.send!(seen);
    script = next;
    seen = { requests: 0, bytes: 0 };
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
const heard = <T>() => new Promise<T>((resolve) => model.once("message", resolve as (message: unknown) => void));
const port = await heard<number>();

let delivered: (session: string) => void = () => {};
const advisor = new Advisor(
  {
    deliver: async ({ session }) => (delivered(session), { state: "admitted" }),
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
    spawn: spawnWorker(new URL("worker.js", import.meta.url)),
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

const rows: Row[] = [];
const bars: Bar[] = [];
let turn = 0;
for (const look of looks) {
  const samples: number[] = [];
  const walls: number[] = [];
  let seen = { requests: 0, bytes: 0 };
  for (let i = 0; i < Number(rounds) + 5; i++) {
    const n = turn++;
    const session = `s${n % 40}`; // fewer than the guest keeps
    const file = `part${n % 50}/file0.ts`;
    const wanted = look.calls(n);
    const script = [
      calls(...(wanted.length > 0 ? wanted : [["read", { path: file, limit: 3 }] as [string, object]])),
      calls(["advise", { note: `Part ${n}: the first step multiplies by 0.`, severity: "concern", verdict: "confirmed", citations: [{ kind: "quote", path: file, line: 2, quote: `  return value * 0 + helper${((n % 50) * 100) % 7}(value)`, fact: "it multiplies by 0" }] }]),
    ];
    const told = heard<typeof seen>();
    model.send(script);
    seen = await told; // of the review before
    const events: (Event & { session: string })[] = [
      { type: "user", session, id: `m${n}`, text: "Multiply the steps.", typed: true, created: Date.now() },
      { type: "turn_start", session },
      ...Array.from({ length: 10 }, (_, k) => ({ type: "tool" as const, session, message: `a${n}`, call: `c${n}-${k}`, name: "read", input: { filePath: `part${k}/file${k}.ts` }, output: code(n + k).slice(0, 3200) })),
      { type: "text", session, message: `a${n}`, text: "Looked at ten files." },
      { type: "step_end", session, message: `a${n}`, finish: "stop" },
      { type: "turn_end", session, outcome: "ok" },
    ];
    const done = new Promise<void>((resolve) => (delivered = (of) => of === session && resolve()));
    const before = performance.now();
    const start = process.cpuUsage();
    if (!advisor.knows(session)) advisor.announce({ type: "session", session, complete: true });
    for (const event of events) advisor.send(event);
    await done;
    const wall = performance.now() - before;
    const { user, system } = process.cpuUsage(start);
    if (i < 5) continue; // for the compilers
    samples.push((user + system) / 1000);
    walls.push(wall);
  }
  const p50 = round(median(samples));
  rows.push({ reviewer: look.name, p50_cpu_ms: p50, p50_wall_ms: round(median(walls)), ...seen });
  if (look.bar !== undefined) bars.push({ what: `${runtime}: milliseconds of the processor for a review beside its model, reviewer ${look.name}`, got: p50, max: look.bar });
}
model.kill();
await advisor.close();
clearInterval(alive);
report(rows, bars);
