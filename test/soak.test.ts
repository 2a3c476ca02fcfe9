// The short form; `make soak` runs the long one.

import assert from "node:assert/strict";
import * as path from "node:path";
import { beforeEach, test } from "node:test";
import { forgetProcess } from "./bench-host.ts";
import { complaints, describeFigures, soak } from "./soak.ts";

declare const PROJECT_ROOT: string;

beforeEach(forgetProcess);

test("5,000 events over 80 sessions leave nothing behind and lose nothing", async () => {
  const figures = await soak(path.join(PROJECT_ROOT, "dist", "superadvisor.wasm"), new URL("soak-worker.entry.js", import.meta.url), 5_000, 80);
  console.log(`# ${describeFigures(figures)}`);
  assert.deepEqual(complaints(figures), []);
});
