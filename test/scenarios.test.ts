// The corpus in testdata/scenarios through the real loader, twice: as it is, and with
// the guest replaced after every line at which nothing is under way.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { forgetProcess } from "./bench-host.ts";
import { readScenario, Stage, World } from "./scenario.ts";
import { scratch } from "./scratch.ts";

declare const PROJECT_ROOT: string;

const corpus = path.join(PROJECT_ROOT, "testdata", "scenarios");
const wasm = path.join(PROJECT_ROOT, "dist", "superadvisor.wasm");
const only = process.env["SCENARIO"];
const scenarios = fs
  .readdirSync(corpus)
  .filter((name) => name.endsWith(".txtar") && (!only || name.startsWith(only)))
  .map((name) => readScenario(path.join(corpus, name)));

/**
 * Where the loader itself makes a difference: the lines that may be missing, and why. An entry that
 * is no longer needed fails.
 */
const differences: Record<string, { reason: string; missing: string }> = {
  disabled: { reason: "a guest that says it is switched off is let go, and may hear of no session", missing: "ignore" },
};

let stage: Stage;
before(() => {
  assert.ok(fs.existsSync(wasm), "dist/superadvisor.wasm is missing: run npm run build");
  stage = new Stage(new URL("scenario.entry.js", import.meta.url));
});
after(() => stage.close());
beforeEach(forgetProcess);

for (const replace of [false, true]) {
  describe(replace ? "with the guest replaced" : "as it is", () => {
    for (const scenario of scenarios) {
      if (replace && scenario.keepGuest) continue; // keep-guest.txt says why; the native runner checks that it must
      test(scenario.name, async () => {
        const world = new World(scenario, stage, wasm, scratch());
        let failure: unknown;
        try {
          await world.play(replace);
        } catch (error) {
          failure = error;
        }
        const difference = differences[scenario.name];
        const without = (lines: unknown[]) => lines.filter((line) => (line as { type: string }).type !== difference?.missing);
        if (difference) assert.notDeepEqual(without(scenario.want), scenario.want, "the difference is no longer one");
        assert.deepEqual(without(world.seen), without(scenario.want), difference?.reason ?? scenario.prose);
        assert.ifError(failure);
      });
    }
  });
}
