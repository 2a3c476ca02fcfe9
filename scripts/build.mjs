// Builds dist/: the guest when it is missing or older than its sources, and the loader's bundles.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readArgs } from "./args.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const wasm = path.join(root, "dist", "superadvisor.wasm");
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));

export const bundle = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "es2022",
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  logLevel: "warning",
};

/** The worker's script: a thread that need not load the loader of modules runs some milliseconds sooner. */
export const buildWorker = (options) =>
  build({ ...bundle, format: "cjs", outExtension: { ".js": ".cjs" }, entryPoints: [path.join(root, "host", "worker.ts")], ...options });

/** The newest change of anything that the guest is made of. */
function newestSource() {
  let newest = 0;
  const visit = (name) => {
    const stat = fs.statSync(name, { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      if (!name.endsWith("_test.go")) newest = Math.max(newest, stat.mtimeMs);
      return;
    }
    if (path.basename(name) === "testdata") return;
    for (const entry of fs.readdirSync(name)) visit(path.join(name, entry));
  };
  for (const name of ["go.mod", "go.sum", "wasm", "pkg", "internal/buildguest", "internal/shrink", "internal/snapshot", "internal/vector", "internal/wasmfile"]) visit(path.join(root, name));
  return newest;
}

function buildGuest() {
  const built = fs.statSync(wasm, { throwIfNoEntry: false })?.mtimeMs;
  if (built !== undefined && built >= newestSource()) return;
  try {
    execFileSync("go", ["run", "./internal/buildguest"], { cwd: root, stdio: "inherit" });
  } catch (error) {
    if (error.code === "ENOENT") throw new Error("build the guest: Go is not installed; install Go 1.26 or later, or put a built superadvisor.wasm into dist/");
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const usage = `usage: node scripts/build.mjs [--loader]
Builds dist/: the module when it is missing or older than its sources, and the loader.
  --loader  leave the module as it is
  --help    this text`;
  const { values: flags } = readArgs(usage, { options: { loader: { type: "boolean" } } });
  fs.mkdirSync(path.join(root, "dist"), { recursive: true });
  if (!flags.loader) buildGuest();
  await build({
    ...bundle,
    entryPoints: ["plugin", "tui", "pi"].map((name) => path.join(root, "host", `${name}.ts`)),
    outdir: path.join(root, "dist"),
  });
  await buildWorker({ outdir: path.join(root, "dist") });
  // The program: npm makes a link to it, so it says by itself what runs it.
  await build({ ...bundle, entryPoints: [path.join(root, "host", "cli.ts")], outdir: path.join(root, "dist"), banner: { js: "#!/usr/bin/env node" } });
  fs.chmodSync(path.join(root, "dist", "cli.js"), 0o755);
}
