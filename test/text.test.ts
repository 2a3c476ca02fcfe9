import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { boundInput } from "../host/opencode/input.ts";
import type { Event, History } from "../host/protocol.gen.ts";
import { cutEnd, cutMiddle } from "../host/text.ts";
import { boundHistory } from "../host/weigh.ts";

describe("a text that is too long", () => {
  test("that fits is left alone", () => {
    for (const text of ["", "x".repeat(100), "é".repeat(100), "☃".repeat(100), "😀".repeat(50)]) {
      assert.deepEqual(cutMiddle(text, 100), { text, cut: 0 });
      assert.deepEqual(cutEnd(text, 100), { text, cut: 0 });
    }
  });

  test("keeps its beginning and its end, or its beginning", () => {
    const text = "a".repeat(60) + "b".repeat(80) + "c".repeat(60);
    assert.deepEqual(cutMiddle(text, 100), { text: "a".repeat(50) + "c".repeat(50), cut: 100 });
    assert.deepEqual(cutEnd(text, 100), { text: "a".repeat(60) + "b".repeat(40), cut: 100 });
  });

  test("is cut between characters, and every one is accounted for", () => {
    for (const unit of ["é", "☃", "😀", "x😀", "ab☃"]) {
      for (const count of [101, 102, 500]) {
        const text = unit.repeat(count);
        for (const max of [64, 65, 66, 67, 100]) {
          for (const { text: kept, cut } of [cutMiddle(text, max), cutEnd(text, max)]) {
            assert.ok(kept.length <= max && kept.length >= max - 2);
            assert.equal(kept.length + cut, text.length);
            assert.doesNotMatch(kept, /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])/);
          }
        }
      }
    }
  });
});

test("half a character is cut like a whole one", () => {
  const text = "\ud800".repeat(500);
  for (const { text: kept, cut } of [cutMiddle(text, 64), cutEnd(text, 64)]) {
    assert.equal(kept.length, 64);
    assert.equal(cut, 436);
  }
});

describe("a tool's arguments", () => {
  test("that are small are handed on as they are", () => {
    const input = { filePath: "a.ts", edits: [{ old: "x", new: "y" }], n: 1, none: null };
    assert.equal(boundInput(input), input);
  });

  test("with a whole file keep both of its ends", () => {
    const content = "begin" + "x".repeat(1_000_000) + "end";
    const bounded = boundInput({ filePath: "a.ts", content }) as { filePath: string; content: string };
    assert.equal(bounded.filePath, "a.ts");
    assert.match(bounded.content, /^beginx+\n\[the advisor left out 983624 characters\]\nx+end$/);
  });

  test("of any shape are bounded", () => {
    let deep: unknown = "bottom";
    for (let i = 0; i < 1000; i++) deep = { deep };
    const wide = Array.from({ length: 100_000 }, (_, i) => `item ${i}`);
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    for (const input of [deep, wide, circular, { wide, deep, circular }]) {
      assert.ok(JSON.stringify(boundInput(input)).length < 100_000);
    }
  });
});

test("a history that is too long keeps what people said and the newest of the rest", () => {
  const events: Event[] = [
    { type: "user", session: "s", id: "m1", text: "the goal" },
    ...Array.from({ length: 200 }, (_, i): Event => ({ type: "tool", session: "s", call: `c${i}`, name: "read", output: "x".repeat(64_000) })),
    { type: "user", session: "s", id: "m2", text: "and then" },
  ];
  const history: History = boundHistory({ type: "history", session: "s", events });
  const kept = history.events ?? [];
  assert.deepEqual(kept[0], events[0]);
  assert.deepEqual(kept.at(-1), events.at(-1));
  assert.equal((kept.at(-2) as { call: string }).call, "c199");
  assert.ok(kept.length > 50 && kept.length < 80);
  const short: History = { type: "history", session: "s", events: events.slice(0, 3) };
  assert.deepEqual(boundHistory(short), short);
});
