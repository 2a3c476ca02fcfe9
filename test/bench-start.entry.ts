// How long setup holds the host's thread, and when the guest is ready, beside the bare time of a Go module of the
// same size, for which the same is taken, but not started when it was built: node bench-start.entry.js WASM ROOT [rounds]. Bare is reading the file,
// compiling it and starting it (memory, Go's runtime, init of all packages) on the first thread, without a worker and
// without a call. Ready is from the call of setup until the guest has read its configuration and the tool is
// registered. Each start is a process of its own; all are medians.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Files } from "../host/fs.ts";
import { Guest } from "../host/guest.ts";
import type { V2Context } from "../host/opencode/v2-types.ts";
import { median, report, round, runtime, threadMs } from "./bench-figures.ts";

const here = path.dirname(fileURLToPath(import.meta.url));

async function bare(folder: string): Promise<object> {
  const before = performance.now();
  const module = await WebAssembly.compile(fs.readFileSync(path.join(here, "plain.wasm")));
  new Guest(module, { files: new Files(folder), send: () => false, cancel: () => {}, log: () => {}, interrupted: () => false });
  return { ready: performance.now() - before };
}

async function whole(folder: string): Promise<object> {
  process.env["XDG_STATE_HOME"] = path.join(folder, "state");
  process.env["XDG_CONFIG_HOME"] = path.join(folder, "config");
  const before = performance.now();
  const { default: plugin } = (await import(pathToFileURL(path.join(here, "plugin.js")).href)) as { default: { setup(context: V2Context): () => Promise<void> } };
  const cpu = threadMs();
  const imported = performance.now();
  let registered: () => void;
  const ready = new Promise<void>((resolve) => (registered = resolve));
  const alive = setInterval(() => {}, 1000);
  const cleanup = plugin.setup({
    location: { directory: folder },
    // No call of a model is made: the key is for an address that nobody asks.
    options: { watchdogModel: "fake/m", provider: { baseURL: "http://127.0.0.1:9/v1", apiKey: "sk-test" } },
    event: { subscribe: () => silence() },
    session: { get: async () => ({}), synthetic: async () => ({}) },
    tool: { transform: async () => (registered(), {}) },
  });
  const returned = performance.now();
  await ready;
  const figures = { import: imported - before, setup: returned - imported, ready: performance.now() - imported, host: (threadMs() ?? 0) - (cpu ?? 0) };
  clearInterval(alive);
  await cleanup();
  return figures;
}

async function* silence(): AsyncGenerator<never> {
  await new Promise(() => {});
}

const [, given, rounds = "15"] = process.argv.slice(2);
if (given === "--bare" || given === "--whole") {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-")));
  console.log(JSON.stringify(await (given === "--bare" ? bare : whole)(folder)));
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

const start = (how: string) => JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), "", how], { encoding: "utf8" })) as { import: number; setup: number; ready: number; host: number };
const all = Array.from({ length: Number(rounds) }, () => ({ bare: start("--bare"), whole: start("--whole") }));
const setup = round(median(all.map(({ whole }) => whole.setup)));
const host = round(median(all.map(({ whole }) => whole.host)));
const ratio = round(median(all.map(({ bare, whole }) => whole.ready / bare.ready)));
report(
  [
    {
      import_ms: round(median(all.map(({ whole }) => whole.import))),
      setup_ms: setup,
      host_cpu_ms: host, // of the host's thread, until the guest is ready
      ready_ms: round(median(all.map(({ whole }) => whole.ready))),
      bare_ms: round(median(all.map(({ bare }) => bare.ready))),
      ready_over_bare: ratio,
    },
  ],
  [
    { what: `${runtime}: milliseconds that setup holds the host's thread`, got: setup, max: 20 },
    { what: `${runtime}: milliseconds of the processor that a start takes from the host's thread`, got: host, max: 20 },
    { what: `${runtime}: time until the guest is ready over the bare time of compiling and starting it`, got: ratio, max: 1.5 },
  ],
);
