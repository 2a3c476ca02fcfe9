// Runs the long form of a test. dist/ is taken as it is.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { count, misuse, readArgs } from "./args.mjs";
import { buildWorker, bundle } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const usage = `usage: node scripts/long.mjs soak EVENTS SESSIONS | kill MOMENTS
  soak    so many events over so many sessions through the real loader
  kill    kill the host at so many moments around a wake
  --help  this text`;
const numbers = { soak: ["EVENTS", "SESSIONS"], kill: ["MOMENTS"] };
const [name = "", ...args] = readArgs(usage, { allowPositionals: true }).positionals;
const wanted = Object.hasOwn(numbers, name) ? numbers[name] : misuse(usage, "want soak or kill");
if (args.length !== wanted.length) misuse(usage, `${name} wants ${wanted.join(" and ")}`);
wanted.forEach((what, n) => count(usage, what, args[n]));
const entry = path.join(root, "test", `${name}-long.entry.ts`);
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
