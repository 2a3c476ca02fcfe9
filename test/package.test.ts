// What is shipped: the entries that hosts look for, nothing to install, nothing too large.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, test } from "node:test";
import { scratch } from "./scratch.ts";

declare const PROJECT_ROOT: string;

const at = (...names: string[]) => path.join(PROJECT_ROOT, ...names);
const manifest = JSON.parse(fs.readFileSync(at("package.json"), "utf8")) as Record<string, unknown> & { exports: Record<string, string>; files: string[] };
const load = async (file: string) => (await import(pathToFileURL(at(file)).href)) as Record<string, unknown>;

test("every entry is there and is built", () => {
  for (const file of [...Object.values(manifest.exports), ...manifest.files]) assert.ok(fs.existsSync(at(file)), `${file} is missing: run npm run build`);
});

describe("the entry", () => {
  test("is one default export for both versions, from whichever file a host takes it", async () => {
    for (const file of ["index.js", "dist/plugin.js"]) {
      const module = await load(file);
      assert.deepEqual(Object.keys(module), ["default"]);
      const plugin = module["default"] as Record<string, unknown>;
      assert.deepEqual(Object.keys(plugin).sort(), ["id", "server", "setup"]);
      assert.equal(plugin["id"], "opencode-superadvisor");
    }
  });

  test("does nothing in V1's reduced context, nor in none at all", async () => {
    const { setup } = (await load("index.js"))["default"] as { setup(context: unknown): unknown };
    for (const context of [{}, { options: {}, catalog: {}, event: {} }, undefined]) assert.equal(setup(context), undefined);
  });

  test("gives V1 no hook rather than a failure when its input is odd", async () => {
    const { server } = (await load("index.js"))["default"] as { server(input: unknown, options?: unknown): Promise<object> };
    for (const input of [{}, { directory: 7 }, undefined]) assert.deepEqual(await server(input), {});
  });

  test("for the terminal shows what asks for it, once", async () => {
    const { default: tui } = (await load("dist/tui.js")) as { default: { id: string; setup(context: object): () => void } };
    assert.equal(tui.id, "opencode-superadvisor");
    const toasts: { message: string; variant: string }[] = [];
    const handlers = new Map<string, (event: unknown) => void>();
    const leave = tui.setup({
      data: {
        on: (type: string, hear: (event: unknown) => void) => {
          handlers.set(type, hear);
          return () => handlers.delete(type);
        },
      },
      ui: { toast: { show: (toast: { message: string; variant: string }) => toasts.push({ message: toast.message, variant: toast.variant }) } },
    });
    const admit = (id: string, metadata: object) => handlers.get("session.inbox.enqueued")!({ data: { inboxID: id, item: { type: "synthetic", payload: { description: `about ${id}`, metadata } } } });
    admit("a", { advisor: true, severity: "concern", toast: true });
    admit("a", { advisor: true, severity: "concern", toast: true });
    admit("b", { advisor: true, severity: "nit" });
    admit("c", { other: true, toast: true });
    handlers.get("session.input.admitted")!({ data: { inputID: "d", input: { data: { description: "about d", metadata: { advisor: true, severity: "blocker", toast: true } } } } });
    for (const odd of [null, {}, { data: { item: 7 } }, "text"]) handlers.get("session.inbox.enqueued")!(odd);
    assert.deepEqual(toasts, [
      { message: "about a", variant: "warning" },
      { message: "about d", variant: "error" },
    ]);
    leave();
    assert.equal(handlers.size, 0);
  });
});

describe("the package", () => {
  test("needs nothing at run time", () => {
    for (const key of ["dependencies", "peerDependencies", "optionalDependencies", "bundledDependencies"]) assert.equal(manifest[key], undefined, key);
    for (const name of fs.readdirSync(at("dist")).filter((name) => name.endsWith(".js"))) {
      const script = fs.readFileSync(at("dist", name), "utf8");
      for (const [, from] of script.matchAll(/^(?:import|export)\b.*?\bfrom\s*"([^"]+)"/gm)) assert.match(from!, /^node:/, `${name} imports ${from}`);
      // pi's own model call has no way in but a file of the running pi.
      const dynamic = [...script.matchAll(/\b(?:require|import)\(.*/g)].map(([call]) => call);
      assert.deepEqual(dynamic.filter((call) => name !== "pi.js" || !call.startsWith("import(pathToFileURL(")), [], name);
    }
  });

  test("starts a process from the program superadvisor alone", () => {
    const starting = fs.readdirSync(at("dist")).filter((name) => name.endsWith(".js") && /child_process|Bun\.spawn/.test(fs.readFileSync(at("dist", name), "utf8")));
    assert.deepEqual(starting, ["cli.js"]);
  });

  test("packs to what is meant and to 2 MB at most", () => {
    const folder = scratch();
    const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: PROJECT_ROOT, encoding: "utf8" })) as { size: number; files: { path: string }[] }[];
    const files = packed!.files.map(({ path: file }) => file);
    const corpora = ["testdata/corpus/judge", "testdata/corpus/sessions"].flatMap((folder) => fs.readdirSync(at(folder)).map((name) => `${folder}/${name}`));
    assert.ok(corpora.length > 40, "what superadvisor bench plays");
    assert.deepEqual(files.sort(), [...corpora, "LICENSE", "README.md", "README.zh-CN.md", "dist/cli.js", "dist/pi.js", "dist/plugin.js", "dist/superadvisor.wasm", "dist/tui.js", "dist/worker.cjs", "index.js", "package.json"].sort());
    console.log(`# tarball: ${packed!.size} bytes`);
    assert.ok(packed!.size <= 2_000_000, `the tarball has ${packed!.size} bytes`);
  });

  test("has a module that imports what the loader gives, and no more", async () => {
    const module = await WebAssembly.compile(fs.readFileSync(at("dist/superadvisor.wasm")));
    const own = WebAssembly.Module.imports(module).filter(({ module: from }) => from === "superadvisor");
    assert.deepEqual(own.map(({ name }) => name).sort(), ["emit", "fs_list", "fs_read", "fs_real", "fs_stat", "http_cancel", "http_send", "interrupted"]);
    const rest = WebAssembly.Module.imports(module).filter(({ module: from }) => from !== "superadvisor");
    assert.ok(rest.every(({ module: from }) => from === "wasi_snapshot_preview1"));
    assert.ok(rest.length > 0 && rest.length <= 9, `${rest.length} imports of wasi`); // which ones: internal/audit
  });
});
