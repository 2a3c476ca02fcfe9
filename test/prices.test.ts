import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { priceOf, pricesOf } from "../host/prices.ts";

describe("the price of a model", () => {
  test("is read in the shapes that hosts have it", () => {
    const want = { model: "m", input: 280_000, output: 420_000, cacheRead: 28_000, cacheWrite: 300_000 };
    assert.deepEqual(priceOf("m", { input: 0.28, output: 0.42, cache: { read: 0.028, write: 0.3 } }), want, "OpenCode");
    assert.deepEqual(priceOf("m", { input: 0.28, output: 0.42, cache_read: 0.028, cache_write: 0.3 }), want, "models.dev");
    assert.deepEqual(priceOf("m", { input: 0.28, output: 0.42, cacheRead: 0.028, cacheWrite: 0.3 }), want, "pi");
    assert.deepEqual(priceOf("m", [{ input: 0.28, output: 0.42, cache: { read: 0.028, write: 0.3 } }, { input: 9, output: 9 }]), want, "a list of tiers");
    assert.deepEqual(priceOf("m", { input: 1, output: 2 }), { model: "m", input: 1_000_000, output: 2_000_000 }, "without a cache");
  });

  test("is none where the host's is none", () => {
    for (const bad of [undefined, null, 5, "dear", {}, { input: 1 }, { input: "1", output: 2 }, { input: -1, output: 2 }, { input: NaN, output: 2 }, []]) {
      assert.equal(priceOf("m", bad), undefined);
    }
    assert.deepEqual(pricesOf({ a: { cost: { input: 1, output: 2 } }, b: {}, c: null, d: { id: "real", cost: { input: 0, output: 0 } } }), [
      { model: "a", input: 1_000_000, output: 2_000_000 },
      { model: "real", input: 0, output: 0 },
    ]);
    assert.deepEqual(pricesOf(undefined), []);
  });
});
