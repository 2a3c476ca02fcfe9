// The short form; `make kill` runs the long one.

import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { describeKills, kill } from "./kill.ts";

declare const PROJECT_ROOT: string;

test("a host that is killed around a wake does not wake twice for one human message", async () => {
  const kills = await kill(path.join(PROJECT_ROOT, "dist", "superadvisor.wasm"), new URL("kill-host.entry.js", import.meta.url), 6);
  console.log(`# ${describeKills(kills)}`);
  assert.deepEqual(kills.more, []);
  assert.equal(kills.none + kills.one, 6);
});
