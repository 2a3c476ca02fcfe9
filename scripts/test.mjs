// Builds dist/, bundles test/*.test.ts and runs them under Node and beside that under Bun, whose runtime is the hosts'.

import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { misuse, readArgs } from "./args.mjs";
import { buildWorker, bundle } from "./build.mjs";
import { findBun } from "./bun.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
// Of this run alone, so that two runs do not take each other's files away.
const out = path.join(root, ".cache", "test", String(process.pid));
process.on("exit", () => fs.rmSync(out, { recursive: true, force: true }));
const usage = `usage: npm test -- [options] [name ...]
Builds dist/ and runs the tests in test/ whose files begin with one of the names, or all, under Node and under Bun.
  --node      under Node alone
  --bun       under Bun alone
  --no-build  take dist/ as it is
  --help      this text`;
const { values: flags, positionals: names } = readArgs(usage, {
  options: { node: { type: "boolean" }, bun: { type: "boolean" }, "no-build": { type: "boolean" } },
  allowPositionals: true,
});
if (flags.node && flags.bun) misuse(usage, "--node and --bun: without either both run");
const entries = fs.readdirSync(path.join(root, "test")).filter((name) => name.endsWith(".test.ts") || name.endsWith(".entry.ts"));
const tests = entries.filter((name) => name.endsWith(".test.ts"));
const unknown = names.filter((name) => !tests.some((test) => test.startsWith(name)));
if (unknown.length > 0) misuse(usage, `no test file begins with ${unknown.join(" or ")}`);

if (!flags["no-build"]) {
  const { status } = spawnSync(process.execPath, [path.join(root, "scripts", "build.mjs")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
await build({
  ...bundle,
  define: { ...bundle.define, PROJECT_ROOT: JSON.stringify(root.replace(/[\\/]$/, "")) },
  entryPoints: [...entries.map((name) => path.join(root, "test", name)), path.join(root, "host", "plugin.ts"), path.join(root, "host", "pi.ts")],
  outdir: out,
  outbase: root,
  entryNames: "[name]",
  sourcemap: "inline",
});
await buildWorker({ outdir: out, sourcemap: "inline" });

// The plugin looks for the module beside its script.
const guest = path.join(root, "dist", "superadvisor.wasm");
if (fs.existsSync(guest)) fs.copyFileSync(guest, path.join(out, "superadvisor.wasm"));

const files = tests
  .filter((name) => names.length === 0 || names.some((wanted) => name.startsWith(wanted)))
  .map((name) => path.join(out, name.replace(/\.ts$/, ".js")));

/** Runs a command to its end and gives whether it went well, and what it said where that is not to be seen at once. */
function run(command, args, stdio) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", stdio, stdio], cwd: root, env: { ...process.env, NODE_NO_WARNINGS: "1" } });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (chunk) => (said += chunk));
    child.on("error", (error) => resolve({ passed: false, said: `${error}\n` }));
    child.on("close", (code) => resolve({ passed: code === 0, said }));
  });
}

async function underNode() {
  console.log("\n# node");
  const { passed } = await run(process.execPath, ["--test", "--test-timeout=300000", "--enable-source-maps", ...files], "inherit");
  return passed;
}

/**
 * A process for each file, as under Node: Bun cannot end a thread that spins in a guest that hangs, and whatever comes
 * after it in its process would have a processor less.
 */
async function underBun(say) {
  say("\n# bun");
  const bun = findBun(root);
  if (!bun) {
    say("test under Bun: no Bun for this platform in node_modules; run npm install");
    return false;
  }
  let all = true;
  const counts = { pass: 0, fail: 0 };
  for (const file of files) {
    const { passed, said } = await run(bun, ["test", "--timeout=300000", file], "pipe");
    say(said);
    all &&= passed;
    for (const [, n, kind] of said.matchAll(/^ *(\d+) (pass|fail)$/gm)) counts[kind] += Number(n);
  }
  say(`# pass ${counts.pass}\n# fail ${counts.fail}`);
  return all;
}

// Side by side. What is said under Bun is shown when Node has said all.
const said = [];
const passed = await Promise.all([
  flags.bun || underNode(),
  flags.node || underBun(flags.bun ? console.log : (text) => said.push(text)),
]);
if (said.length > 0) console.log(said.join("\n"));
process.exitCode = passed.every(Boolean) ? 0 : 1;
