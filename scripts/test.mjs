// Builds dist/, bundles test/*.test.ts and runs them under Node and, unless --node is given, once
// more under Bun, whose runtime is the hosts'. Names given narrow the files: `npm test -- fs http`.
// With --no-build dist/ is taken as it is.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWorker, bundle } from "./build.mjs";
import { findBun } from "./bun.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
// Of this run alone, so that two runs do not take each other's files away.
const out = path.join(root, ".cache", "test", String(process.pid));
process.on("exit", () => fs.rmSync(out, { recursive: true, force: true }));
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));

if (!flags.includes("--no-build")) {
  const { status } = spawnSync(process.execPath, [path.join(root, "scripts", "build.mjs")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
const entries = fs
  .readdirSync(path.join(root, "test"))
  .filter((name) => name.endsWith(".ts") && (name.endsWith(".test.ts") || name.endsWith(".entry.ts")));
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

const files = entries
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => names.length === 0 || names.some((wanted) => name.startsWith(wanted)))
  .map((name) => path.join(out, name.replace(/\.ts$/, ".js")));

if (files.length === 0) {
  console.error(`no test file begins with ${names.join(" or ")}`);
  process.exit(1);
}

function run(title, command, args) {
  console.log(`\n# ${title}`);
  const { status } = spawnSync(command, args, { stdio: "inherit", cwd: root, env: { ...process.env, NODE_NO_WARNINGS: "1" } });
  return status === 0;
}

let passed = run("node", process.execPath, ["--test", "--test-timeout=300000", "--enable-source-maps", ...files]);
if (!flags.includes("--node")) {
  const bun = findBun(root);
  if (!bun) {
    console.error("test under Bun: no Bun for this platform in node_modules; run npm install");
    passed = false;
  } else {
    passed = run("bun", bun, ["test", "--timeout=300000", ...files]) && passed;
  }
}
process.exitCode = passed ? 0 : 1;
