// Runs the long form of a test: `node scripts/long.mjs soak 100000 200`, `node scripts/long.mjs kill 50`.
// dist/ is taken as it is.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWorker, bundle } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [name, ...args] = process.argv.slice(2);
const entry = path.join(root, "test", `${name}-long.entry.ts`);
if (!name || !fs.existsSync(entry)) {
  console.error("long: want soak or kill, and its numbers");
  process.exit(2);
}
if (!fs.existsSync(path.join(root, "dist", "superadvisor.wasm"))) {
  console.error("long: dist/superadvisor.wasm is missing: run make build");
  process.exit(2);
}
const out = path.join(root, ".cache", "long", String(process.pid));
process.on("exit", () => fs.rmSync(out, { recursive: true, force: true }));
await build({
  ...bundle,
  define: { ...bundle.define, PROJECT_ROOT: JSON.stringify(root.replace(/[\\/]$/, "")) },
  entryPoints: [entry, ...["soak-worker", "kill-host"].map((other) => path.join(root, "test", `${other}.entry.ts`))],
  outdir: out,
  outbase: root,
  entryNames: "[name]",
  sourcemap: "inline",
});
await buildWorker({ outdir: out, sourcemap: "inline" });
const { status } = spawnSync(process.execPath, ["--enable-source-maps", path.join(out, `${name}-long.entry.js`), ...args], { stdio: "inherit", env: { ...process.env, NODE_NO_WARNINGS: "1" } });
process.exitCode = status ?? 1;
