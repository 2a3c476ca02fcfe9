// Runs benches under Node and under Bun. Each is test/bench-KIND.entry.ts, whose last line of output is its table and
// its bars as JSON. The tables go to testdata/bench/KIND.json.

import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { count, misuse, readArgs } from "./args.mjs";
import { buildWorker, bundle } from "./build.mjs";
import { findBun } from "./bun.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const all = fs.readdirSync(path.join(root, "test")).flatMap((name) => /^bench-(\w+)\.entry\.ts$/.exec(name)?.[1] ?? []);
const usage = `usage: node scripts/bench.mjs [options] [kind ...]
Runs the benches of these kinds, or all: ${all.join(", ")}.
The tables are printed, and kept in testdata/bench/KIND.json when both runtimes ran.
  --check     fail when a bar is missed
  --node      under Node alone; nothing is kept
  --rounds N  how often each is measured
  --help      this text`;
const { values: flags, positionals: names } = readArgs(usage, {
  options: { check: { type: "boolean" }, node: { type: "boolean" }, rounds: { type: "string" } },
  allowPositionals: true,
});
const rounds = flags.rounds === undefined ? undefined : String(count(usage, "--rounds", flags.rounds));
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) misuse(usage, `no bench is named ${unknown.join(", ")}`);
const kinds = all.filter((kind) => names.length === 0 || names.includes(kind));

const out = path.join(root, ".cache", "bench", String(process.pid));
process.on("exit", () => fs.rmSync(out, { recursive: true, force: true }));
fs.mkdirSync(out, { recursive: true });
const guest = (file, ...options) => {
  execFileSync("go", ["run", "./internal/buildguest", ...options, "-o", file], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return file;
};
const shipped = guest(path.join(out, "superadvisor.wasm")); // where the plugin looks for it
// What start holds the shipped one against: the module as Go's compiler leaves it.
if (kinds.includes("start")) guest(path.join(out, "plain.wasm"), "-plain");
// tools runs one tool without the review around it, which the shipped module does not let anybody do.
const measured = kinds.includes("tools") ? guest(path.join(out, "bench.wasm"), "-bench") : undefined;
await build({
  ...bundle,
  define: { ...bundle.define, PROJECT_ROOT: JSON.stringify(root.replace(/[\\/]$/, "")) },
  entryPoints: [...kinds.map((kind) => path.join(root, "test", `bench-${kind}.entry.ts`)), path.join(root, "host", "plugin.ts")],
  outdir: out,
  outbase: root,
  entryNames: "[name]",
});
await buildWorker({ outdir: out });

const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
const runtimes = { node: [process.execPath] };
const bun = flags.node ? undefined : findBun(root);
if (bun) runtimes.bun = [bun];
else console.error("bench: Bun is left out");

const missed = [];
for (const kind of kinds) {
  const tables = {};
  for (const [runtime, command] of Object.entries(runtimes)) {
    const args = [path.join(out, `bench-${kind}.entry.js`), kind === "tools" ? measured : shipped, path.join(goroot, "src"), ...(rounds ? [rounds] : [])];
    const { status, stdout } = spawnSync(command[0], args, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", env: { ...process.env, NODE_NO_WARNINGS: "1" } });
    if (status !== 0) {
      console.error(`bench: ${kind} failed under ${runtime}`);
      process.exit(1);
    }
    const { rows, bars } = JSON.parse(stdout.trim().split("\n").at(-1));
    console.log(`\n# ${kind}, ${runtime}: node scripts/bench.mjs ${kind}`);
    console.table(rows);
    tables[runtime] = rows;
    for (const bar of bars) {
      if (bar.max !== undefined && !(bar.got <= bar.max)) missed.push(`${bar.what} is ${bar.got}, the bar is at most ${bar.max}`);
      if (bar.min !== undefined && !(bar.got >= bar.min)) missed.push(`${bar.what} is ${bar.got}, the bar is at least ${bar.min}`);
    }
  }
  if (bun) fs.writeFileSync(path.join(root, "testdata", "bench", `${kind}.json`), JSON.stringify({ command: `node scripts/bench.mjs ${kind}`, ...tables }, null, 2) + "\n");
}
for (const line of missed) console.error(`bench: bar missed: ${line}`);
if (flags.check && missed.length > 0) process.exitCode = 1;
