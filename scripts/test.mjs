// Builds dist/, bundles test/*.test.ts and runs them under Node and once more under Bun, whose runtime is the hosts'.

import { spawnSync } from "node:child_process";
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

function run(title, command, args) {
  console.log(`\n# ${title}`);
  const { status } = spawnSync(command, args, { stdio: "inherit", cwd: root, env: { ...process.env, NODE_NO_WARNINGS: "1" } });
  return status === 0;
}

let passed = flags.bun || run("node", process.execPath, ["--test", "--test-timeout=300000", "--enable-source-maps", ...files]);
if (!flags.node) {
  const bun = findBun(root);
  if (!bun) {
    console.error("test under Bun: no Bun for this platform in node_modules; run npm install");
    passed = false;
  } else {
    passed = run("bun", bun, ["test", "--timeout=300000", ...files]) && passed;
  }
}
process.exitCode = passed ? 0 : 1;
