// The scripts' command lines: what is not known is refused before an hour's work begins.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

declare const PROJECT_ROOT: string;

const folder = path.join(PROJECT_ROOT, "scripts");
const scripts = fs
  .readdirSync(folder)
  .filter((name) => /^const usage = |^  const usage = /m.test(fs.readFileSync(path.join(folder, name), "utf8")))
  .sort();

function run(name: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, name), ...args], { encoding: "utf8", timeout: 60_000 });
  return { status, stdout, stderr };
}

test("every script that does something tells its usage, and refuses what it does not know", () => {
  assert.deepEqual(scripts, ["bench.mjs", "build.mjs", "long.mjs", "test.mjs"]);
  for (const name of scripts) {
    const help = run(name, "--help");
    assert.equal(help.status, 0, help.stderr);
    assert.match(help.stdout, /^usage: .*\n(.*\n)+  --help +this text\n$/);
    const odd = run(name, "--nosuch");
    assert.deepEqual([odd.status, odd.stdout], [2, ""], name);
    assert.match(odd.stderr, /--nosuch.*\nusage: /);
  }
});

test("a name or a number that means nothing is named", () => {
  for (const [says, name, ...args] of [
    ["no bench is named nosuch", "bench.mjs", "start", "nosuch"],
    ['--rounds: want a whole number above 0, got "few"', "bench.mjs", "--rounds", "few"],
    ["no test file begins with nosuch", "test.mjs", "fs", "nosuch"],
    ["--node and --bun: without either both run", "test.mjs", "--node", "--bun"],
    ["want soak or kill", "long.mjs"],
    ["want soak or kill", "long.mjs", "toString"],
    ["soak wants EVENTS and SESSIONS", "long.mjs", "soak", "10"],
    ['MOMENTS: want a whole number above 0, got "x"', "long.mjs", "kill", "x"],
  ] as [string, string, ...string[]][]) {
    const { status, stdout, stderr } = run(name, ...args);
    assert.deepEqual([status, stdout, stderr.split("\n")[0]], [2, "", says]);
  }
});
