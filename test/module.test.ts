import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, test } from "node:test";
import { withoutVectors } from "../host/module.ts";

declare const PROJECT_ROOT: string;

const file = path.join(PROJECT_ROOT, "dist", "superadvisor.wasm");

describe("the module", () => {
  test("is started by an engine without vector instructions", () => {
    const script = fileURLToPath(new URL("module.entry.js", import.meta.url));
    const bun = "Bun" in globalThis;
    // V8 has them not without SSE 4.1, and on other processors always.
    const flags = bun ? [] : ["--no-enable-sse4-1"];
    const env = { ...process.env, BUN_JSC_useWasmSIMD: "0" };
    const said = execFileSync(process.execPath, [...flags, script, file], { env, encoding: "utf8" });
    assert.equal(said, `${!bun && process.arch !== "x64"} function\n`);
  });

  test("is as it was with the compiler's bodies put over the others", () => {
    const before = fs.readFileSync(file);
    const given = new Uint8Array(before);
    const after = withoutVectors(given);
    assert.ok(before.equals(given), "the file's bytes were changed");
    assert.equal(after.length, before.length);
    const changed = after.reduce((n, byte, at) => n + Number(byte !== before[at]), 0);
    assert.ok(changed > 100 && changed < 2000, `${changed} bytes differ`);
    assert.ok(WebAssembly.validate(after));
  });

  test("is patched where it says, and nowhere else", () => {
    const body = (at: number, ...bytes: number[]) => [at, 0, 0, 0, bytes.length, 0, 0, 0, ...bytes];
    const plain = [...body(1, 7, 8), ...body(5, 9)];
    const whole = Buffer.from([0, 1, 2, 3, 4, 5, 6, ...plain, plain.length, 0, 0, 0]);
    assert.deepEqual([...withoutVectors(whole).subarray(0, 7)], [0, 7, 8, 3, 4, 9, 6]);
  });
});
