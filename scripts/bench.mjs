// Runs benches under Node and under Bun: `node scripts/bench.mjs [--check] [--node] [kind ...]`. Each is
// test/bench-KIND.entry.ts, whose last line of output is its table and its bars as JSON. The
// tables go to testdata/bench/KIND.json. With --check it fails when a bar is missed, and names it.

import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWorker, bundle } from "./build.mjs";
import { findBun } from "./bun.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const rounds = flags.find((flag) => flag.startsWith("--rounds="))?.slice(9);
const kinds = fs
  .readdirSync(path.join(root, "test"))
  .flatMap((name) => /^bench-(\w+)\.entry\.ts$/.exec(name)?.[1] ?? [])
  .filter((kind) => names.length === 0 || names.includes(kind));
const unknown = names.filter((name) => !kinds.includes(name));
if (unknown.length > 0) {
  console.error(`bench: no bench is named ${unknown.join(", ")}`);
  process.exit(2);
}

const out = path.join(root, ".cache", "bench", String(process.pid));
process.on("exit", () => fs.rmSync(out, { recursive: true, force: true }));
fs.mkdirSync(out, { recursive: true });
const guest = (file, ...flags) => {
  execFileSync("go", ["run", "./internal/buildguest", ...flags, "-o", file], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
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
const bun = flags.includes("--node") ? undefined : findBun(root);
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
if (flags.includes("--check") && missed.length > 0) process.exitCode = 1;
