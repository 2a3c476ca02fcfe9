import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { PiModel } from "../host/pi/types.ts";
import { callRow, resultRow, wrap } from "../host/pi/rows.ts";
import { extension } from "../host/pi.ts";
import type { Deliver, Ready } from "../host/protocol.gen.ts";
import { forgetProcess } from "./bench-host.ts";
import { assistant, Pi, user } from "./pi-memory.ts";
import { awake, Recorder, settle } from "./recorder.ts";
import { scratch } from "./scratch.ts";

declare const PROJECT_ROOT: string;

const open: Pi[] = [];
beforeEach(forgetProcess);
afterEach(async () => {
  for (const pi of open.splice(0)) if (!pi.over) await pi.end();
});

async function start(ready: Partial<Ready> = {}, prepare: (pi: Pi) => void = () => {}) {
  const recorder = new Recorder({ consultModel: "p/strong", consultEffort: "high", ...ready });
  const pi = new Pi();
  prepare(pi);
  open.push(pi);
  extension(() => recorder.deps)(pi.api);
  await pi.emit("session_start", { reason: "startup" });
  await settle();
  return { pi, recorder };
}

/** A prompt that is being worked on. */
async function busy(pi: Pi, text = "go on"): Promise<void> {
  await pi.emit("input", { text, source: "interactive" });
  pi.idle = false;
  await pi.emit("agent_start");
  await pi.emit("message_end", user(text));
  await settle();
}

/** The end of a run. pi is not idle yet when it says so. */
async function rest(pi: Pi, stopReason = "stop"): Promise<void> {
  const last = assistant("done", stopReason);
  await pi.emit("turn_end", { message: last.message, toolResults: [] });
  await pi.emit("agent_end", { messages: [last.message] });
  pi.idle = true;
  await polled();
}

/** Longer than the adapter's poll for an idle pi. */
const polled = () => new Promise<void>((resolve) => setTimeout(resolve, 60)).then(settle);

let notes = 0;
const note = (over: Partial<Deliver> = {}): Deliver => {
  const n = ++notes;
  return { type: "deliver", session: "s", id: `msg_${n}`, wake: false, text: `[advisor nit] ${n}`, severity: "nit", description: `Advisor nit: ${n}`, notes: [`n_${n}`], ...over };
};
const blocker = (over: Partial<Deliver> = {}) => note({ wake: true, severity: "blocker", toast: true, ...over });

async function say(recorder: Recorder, ...effects: Deliver[]): Promise<void> {
  recorder.effect(...effects);
  await settle();
}

describe("a silent note", () => {
  test("is held while pi works, and all that were held are put as one message when it rests", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    const [a, b] = [note(), note({ severity: "concern", toast: true })];
    await say(recorder, a);
    await say(recorder, b);
    assert.deepEqual(pi.sent, []);
    await rest(pi);
    assert.deepEqual(pi.sent, [], "they may no longer be true: the guest looks, and sends them again");
    await say(recorder, a, b);
    assert.deepEqual(pi.sent, [
      {
        message: {
          customType: "advisor-note",
          content: `${a.text}\n\n${b.text}`,
          display: true,
          details: { advisor: true, ids: [a.id, b.id], severity: "concern", notes: [...a.notes!, ...b.notes!] },
        },
        options: { triggerTurn: false },
      },
    ]);
    assert.deepEqual(pi.notified, [{ text: b.description, level: "warning" }], "a concern is shown to the person as well");
    assert.deepEqual(recorder.of("receipt").map(({ id, state }) => [id, state]), [
      [a.id, "admitted"],
      [a.id, "held"],
      [b.id, "admitted"],
      [b.id, "held"],
      [a.id, "admitted"],
      [b.id, "admitted"],
    ]);
    assert.deepEqual(recorder.of("user").filter(({ advisor }) => advisor).map(({ id }) => id), [a.id, b.id]);
  });

  test("counts as seen when it stands before the model, once", async () => {
    const { pi, recorder } = await start();
    const a = note();
    await say(recorder, a);
    const { message } = pi.sent[0]!;
    for (let i = 0; i < 2; i++) await pi.emit("context", { messages: [{ role: "custom", ...message }] });
    await settle();
    assert.deepEqual(recorder.of("receipt").filter(({ state }) => state === "seen").map(({ id }) => id), [a.id]);
  });

  test("waits for the end of a compaction, whose summary would leave it out", async () => {
    const { pi, recorder } = await start();
    await pi.emit("session_before_compact", { signal: new AbortController().signal });
    await say(recorder, note());
    assert.deepEqual(pi.sent, []);
    await pi.emit("session_compact", { compactionEntry: { summary: "all" } });
    await settle();
    assert.equal(pi.sent.length, 1);
  });

  test("waits for a compaction that takes half an hour, and wakes nobody when it never ends", async (t) => {
    const { pi, recorder } = await start();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await pi.emit("session_before_compact", { signal: new AbortController().signal });
    await say(recorder, blocker());
    t.mock.timers.tick(30 * 60_000);
    await settle();
    assert.deepEqual(pi.sent, []);
    t.mock.timers.tick(30 * 60_000);
    await settle();
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ triggerTurn: false }]);
  });

  for (const [sign, end] of [
    ["pi says so", (pi: Pi) => pi.emit("session_compact_failed", {})],
    ["the person stops it", async (_: Pi, stop: AbortController) => stop.abort()],
  ] as const) {
    test(`waits for a compaction that fails, until ${sign}`, async () => {
      const { pi, recorder } = await start();
      const stop = new AbortController();
      await pi.emit("session_before_compact", { signal: stop.signal });
      await say(recorder, blocker());
      await end(pi, stop);
      await settle();
      assert.deepEqual(pi.sent.map(({ options }) => options), [{ triggerTurn: true }]);
      assert.deepEqual(recorder.of("compacted").map(({ failed }) => failed), [true]);
    });
  }

  for (const [where, begin, options] of [
    ["a run", (pi: Pi) => busy(pi), [{ deliverAs: "steer" }]],
    ["a compaction", (pi: Pi) => pi.emit("session_before_compact", {}), []],
  ] as const) {
    test(`is given back when the session ends in ${where}, which takes nothing any more`, async () => {
      const { pi, recorder } = await start();
      await begin(pi);
      const b = blocker();
      await say(recorder, b);
      await pi.end();
      assert.deepEqual(pi.sent.map((sent) => sent.options), options);
      assert.deepEqual(recorder.of("receipt").map(({ id, state }) => [id, state]), [[b.id, "admitted"], [b.id, "held"]]);
    });
  }

  test("waits through an error, because pi takes its last message back before it tries again", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    await rest(pi, "error");
    await say(recorder, note());
    await polled();
    assert.deepEqual(pi.sent, []);
    pi.idle = false;
    await pi.emit("agent_start");
    await rest(pi);
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ triggerTurn: false }]);
  });

  test("that is said twice is put once", async () => {
    const { pi, recorder } = await start();
    const a = note();
    await say(recorder, a, a);
    await say(recorder, a);
    assert.equal(pi.sent.length, 1);
  });

  test("is stored when the session ends before it could be said", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    await rest(pi, "error");
    await say(recorder, note());
    await pi.end();
    assert.deepEqual(pi.sent.map(({ options }) => options), [{}]);
  });
});

describe("a note that wakes", () => {
  test("starts a run of an idle pi, and takes what else the review says along", async () => {
    const { pi, recorder } = await start();
    const [a, b] = [note(), blocker()];
    await say(recorder, a, b);
    assert.deepEqual(pi.sent.map(({ message, options }) => [(message.details as { ids: string[] }).ids, options]), [[[a.id, b.id], { triggerTurn: true }]]);
    assert.deepEqual(recorder.of("receipt").map(({ woke }) => woke), [undefined, true]);
    assert.deepEqual(pi.notified, [{ text: b.description, level: "error" }]);
  });

  test("is part of the run that is under way", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    await say(recorder, blocker());
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ deliverAs: "steer" }]);
    await pi.emit("message_start", { message: { role: "custom", ...pi.sent[0]!.message } });
    await rest(pi);
    assert.equal(pi.sent.length, 1, "the run took it");
  });

  test("that came too late for its run is put again, and the stranded one is kept from the model", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    const b = blocker();
    await say(recorder, b);
    await rest(pi);
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ deliverAs: "steer" }, { triggerTurn: true }]);
    assert.equal(pi.notified.length, 1, "the person is told once");
    const ours = { role: "custom", ...pi.sent[1]!.message };
    const returned = await pi.emit("context", { messages: [{ role: "user" }, ours, { role: "assistant" }, ours] });
    assert.deepEqual(returned, { messages: [{ role: "user" }, ours, { role: "assistant" }] });
    assert.equal(recorder.of("user").filter(({ id }) => id === b.id).length, 1);
  });

  test("wakes nobody while pi is between the end of a run and its rest", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    const last = assistant("done");
    await pi.emit("agent_end", { messages: [last.message] });
    await say(recorder, blocker());
    await polled();
    assert.deepEqual(pi.sent, [], "a steer would be stranded, and a trigger is not taken");
    pi.idle = true;
    await polled();
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ triggerTurn: true }]);
  });

  for (const stopReason of ["aborted", "error"]) {
    test(`wakes nobody after a run that ended with ${stopReason}`, async () => {
      const { pi, recorder } = await start();
      await busy(pi);
      await rest(pi, stopReason);
      await say(recorder, blocker());
      await polled();
      assert.deepEqual(pi.sent.filter(({ options }) => options.triggerTurn), []);
      assert.equal(recorder.of("receipt")[0]!.woke, undefined);
      await busy(pi, "try again");
      await rest(pi);
      assert.deepEqual(pi.sent.map(({ options }) => options.triggerTurn), [false], "it is said without a wake");
    });
  }

  test("wakes nobody while pi compacts, and not afterwards either when the person has spoken meanwhile", async () => {
    const { pi, recorder } = await start();
    await pi.emit("session_before_compact", {});
    await say(recorder, blocker());
    assert.deepEqual(pi.sent, []);
    await busy(pi, "something else");
    await rest(pi);
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ triggerTurn: false }]);
    assert.deepEqual(recorder.of("compacted").map(({ failed }) => failed), [true], "a run is the sign that the compaction came to nothing");
  });

  test("for a steer that the person's abort left behind wakes nobody later", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    await say(recorder, blocker());
    await rest(pi, "aborted");
    assert.deepEqual(pi.sent.map(({ options }) => options), [{ deliverAs: "steer" }, { triggerTurn: false }]);
  });
});

describe("the life of a session", () => {
  for (const [name, at, origin] of [
    ["that was forked is told with the session whose messages it has", "2026-01-01T00:00:00.000Z", "0a1b-2c3d"],
    ["that only remembers its parent has no origin", "2026-01-03T00:00:00.000Z", undefined],
  ] as const) {
    test(name, async () => {
      const { recorder } = await start({}, (pi) => {
        pi.header = { timestamp: "2026-01-02T00:00:00.000Z", parentSession: "/home/x/.pi/agent/sessions/--p--/2026-01-01T00-00-00-000Z_0a1b-2c3d.jsonl" };
        pi.branch = [{ type: "message", timestamp: at, message: { role: "user", content: "hello", timestamp: Date.parse(at) } }];
      });
      const [facts] = recorder.of("session");
      assert.equal(facts!.origin, origin);
      assert.equal(facts!.born, Date.parse("2026-01-02T00:00:00.000Z"));
      assert.equal(facts!.complete, false);
    });
  }

  test("begins once, however often pi says so", async () => {
    const { pi, recorder } = await start();
    await pi.emit("session_start", { reason: "new" });
    await busy(pi);
    assert.equal(recorder.of("session").length, 1);
    assert.equal(recorder.of("user").length, 1);
  });

  test("ends without a call into pi: a late one would end its process", async () => {
    const { pi, recorder } = await start();
    await busy(pi);
    await say(recorder, blocker(), note());
    await pi.emit("agent_end", { messages: [assistant("x").message] });
    await pi.end();
    recorder.effect(note(), { type: "notice", key: "k", variant: "error", text: "t" }, { type: "status", text: "late" });
    await polled();
    assert.equal(pi.notified.length, 1, "nothing after the end");
    assert.deepEqual(pi.statuses, []);
  });

  test("is served by one copy of the extension", async () => {
    const { pi } = await start();
    const second = new Recorder();
    extension(() => second.deps)(pi.api);
    await pi.emit("session_start", { reason: "startup" });
    await busy(pi);
    assert.deepEqual(second.events, []);
  });

  test("is not a person's, however many an extension has sent before the first is taken", async () => {
    const { pi, recorder } = await start();
    for (let i = 0; i < 100; i++) await pi.emit("input", { text: `step ${i}`, source: "extension" });
    for (let i = 0; i < 100; i++) await pi.emit("message_end", user(`step ${i}`));
    await pi.emit("input", { text: "typed", source: "interactive" });
    await pi.emit("message_end", user("typed"));
    await pi.emit("message_end", user("an RPC steer"));
    await settle();
    assert.deepEqual(recorder.of("user").filter(({ typed }) => typed).map(({ text }) => text), ["typed", "an RPC steer"]);
  });

  test("is a person's where pi says so, and doubt is against it", async () => {
    const { pi, recorder } = await start();
    const message = async (text: string) => {
      await pi.emit("message_end", user(text));
      await settle();
    };
    await pi.emit("input", { text: "typed", source: "interactive" });
    await message("typed");
    await message("an RPC steer, which no input announces");
    await pi.emit("input", { text: "by a program", source: "extension" });
    await pi.emit("input", { text: "/skill:x", source: "rpc" });
    await message("by a program");
    await message("the skill's long text");
    await pi.emit("input", { text: "by a program", source: "extension" });
    await message("by a program, as a third extension changed it");
    await message("typed again");
    assert.deepEqual(recorder.of("user").map(({ typed, foreign }) => [typed ?? false, foreign ?? false]), [
      [true, false],
      [true, false],
      [false, true],
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  test("tells of a command that the person ran when the model sees it, once", async () => {
    const { pi, recorder } = await start();
    const messages = [{ role: "bashExecution", command: "make", output: "no rule", exitCode: 2, timestamp: 5 }];
    for (let i = 0; i < 2; i++) await pi.emit("context", { messages });
    recorder.effect({ type: "status", text: "" });
    await pi.emit("turn_end", { message: assistant("ok").message });
    await settle();
    assert.deepEqual(recorder.of("shell"), [{ type: "shell", session: "s", command: "make", output: "no rule", hasExit: true, exit: 2 }]);
  });

  test("survives events of a shape that nobody has seen yet", async () => {
    const { pi } = await start();
    for (const name of ["input", "agent_end", "message_end", "message_start", "tool_execution_end", "turn_end", "context", "session_compact"]) {
      assert.equal(await pi.emit(name, { message: 7, messages: "x", result: null, compactionEntry: [] }), undefined);
    }
  });
});

describe("the advisor tool", () => {
  test("is there while the advisor is, with its rules, and hands on advice, details and progress", async () => {
    const { pi, recorder } = await start();
    const tool = pi.tools.get("advisor")!;
    assert.ok(pi.active.includes("advisor"));
    assert.equal((tool["promptGuidelines"] as string[]).length, 5);
    assert.deepEqual((tool["parameters"] as { required: string[] }).required, []);
    const progress: object[] = [];
    const answer = tool.execute("c1", {}, undefined, (partial) => progress.push(partial));
    await settle();
    const [asked] = recorder.of("consult");
    recorder.effect({ type: "answer", call: asked!.call, text: "Split it.", details: { model: "p/strong", effort: "high", durationMs: 5, truncated: false } });
    assert.deepEqual(await answer, { content: [{ type: "text", text: "Split it." }], details: { model: "p/strong", effort: "high", durationMs: 5, truncated: false } });
    assert.match(JSON.stringify(progress), /asking p\/strong \(high\)/);
  });

  test("fails as pi's tools do, and is taken back with the call", async () => {
    const { pi, recorder } = await start();
    const tool = pi.tools.get("advisor")!;
    const failing = tool.execute("c1", { question: "q" });
    await settle();
    recorder.effect({ type: "answer", call: recorder.of("consult")[0]!.call, text: "no credentials: /login p", failed: true });
    await assert.rejects(failing, /no credentials: \/login p/);
    const stop = new AbortController();
    const aborted = tool.execute("c2", {}, stop.signal);
    await settle();
    stop.abort();
    await assert.rejects(aborted);
    await settle();
    assert.deepEqual(recorder.of("abort").map(({ call }) => call), [recorder.of("consult")[1]!.call]);
  });

  test("is not registered while the advisor is off", async () => {
    const { pi } = await start({ consult: false });
    assert.equal(pi.tools.size, 0);
  });

  test("is there for a first prompt that comes before the guest has read its config", async () => {
    const recorder = new Recorder();
    const pi = new Pi();
    open.push(pi);
    extension(() => recorder.deps)(pi.api);
    await pi.emit("session_start", { reason: "startup" });
    await pi.emit("input", { text: "go", source: "rpc" });
    assert.ok(pi.active.includes("advisor"));
  });

  test("leaves and comes back with /advisor off and on, and says so when it is called all the same", async () => {
    const { pi, recorder } = await start();
    const settled = async (text: string, details: object) => {
      const done = pi.commands.get("advisor")!.handler(text, pi.ctx);
      await settle();
      recorder.effect({ type: "answer", call: recorder.of("command").at(-1)!.call, text: `said ${text}`, details });
      await done;
    };
    await settled("off", { enabled: false, consult: false, model: "p/strong" });
    assert.ok(!pi.active.includes("advisor"));
    const { content } = await pi.tools.get("advisor")!.execute("c", {});
    assert.match(content[0]!.text, /disabled.*\/advisor on/);
    await settled("on", { enabled: true, consult: true, model: "p/strong", effort: "low" });
    assert.deepEqual(pi.active.filter((name) => name === "advisor"), ["advisor"]);
    assert.deepEqual(pi.notified, [
      { text: "said off", level: "info" },
      { text: "said on", level: "info" },
    ]);
  });
});

describe("the rows of the terminal", () => {
  test("show a note by its severity, without the words that are for the model", async () => {
    const { pi } = await start();
    const theme = { fg: (name: string, text: string) => `<${name}>${text}` };
    const content = "[advisor blocker] src/a.ts:1\nIt breaks.\nThis is advice from opencode-superadvisor, an independent reviewer.";
    const render = (expanded: boolean, severity = "blocker") => pi.renderers.get("advisor-note")!({ content, details: { severity } }, { expanded }, theme).render(80);
    assert.deepEqual(render(false), ["<error>[advisor blocker] src/a.ts:1", "<customMessageText>It breaks."]);
    assert.equal(render(true).length, 3);
    assert.equal(render(false, "concern")[0], "<warning>[advisor blocker] src/a.ts:1");
    assert.ok(pi.renderers.get("advisor-note")!({ content }, {}, undefined).render(10).every((line) => line.length <= 10));
  });

  const theme = { fg: (name: string, text: string) => `<${name}>${text}` };

  test("show the model before, and how long it took above the advice", () => {
    assert.deepEqual(callRow("p/strong", theme).render(80), ["<toolTitle>advisor p/strong"]);
    assert.deepEqual(callRow(undefined, theme).render(80), ["<toolTitle>advisor (disabled)"]);
    const result = { content: [{ type: "text", text: "Split it.\n\nThen test." }], details: { model: "p/strong", effort: "high", durationMs: 12_340, truncated: true } };
    assert.deepEqual(resultRow(result, theme).render(80), [
      "<dim>p/strong · high · 12.3 s",
      "<toolOutput>Split it.",
      "<toolOutput>",
      "<toolOutput>Then test.",
      "<warning>[advice truncated]",
    ]);
  });

  test("are never wider than the terminal, which would end pi", () => {
    const text = "a longword of words\tand 宽字符宽字符 \u001b[31mred\u202e 🙂🙂🙂";
    for (let width = 2; width < 40; width++) {
      const lines = wrap(text, width);
      for (const line of lines) assert.ok([...line].reduce((n, c) => n + (c > "~" ? 2 : 1), 0) <= width, `${width}: ${line}`);
      assert.equal(lines.join("").replace(/ /g, ""), "alongwordofwordsand宽字符宽字符\\u{1b}[31mred\\u{202e}🙂🙂🙂");
    }
    assert.deepEqual(wrap("x", 1), []);
  });
});

describe("/advisor", () => {
  const models: PiModel[] = [
    { id: "dear", provider: "p", api: "a", baseUrl: "", cost: { output: 25 }, reasoning: true, thinkingLevelMap: { xhigh: "max", minimal: null } },
    { id: "strong", provider: "p", api: "a", baseUrl: "", cost: { output: 0.5 } },
  ];

  test("completes its words, and hands the models along that pi has", async () => {
    const { pi, recorder } = await start({}, (pi) => (pi.models = models));
    const command = pi.commands.get("advisor")!;
    assert.deepEqual(command.getArgumentCompletions("o")!.map(({ value }) => value), ["on", "off"]);
    assert.equal(command.getArgumentCompletions("x"), null);
    const done = command.handler("", pi.ctx);
    await settle();
    const asked = recorder.of("command")[0]!;
    assert.deepEqual([asked.text, asked.models], ["", ["p/dear", "p/strong"]], "without a terminal it asks for the status");
    recorder.effect({ type: "answer", call: asked.call, text: "enabled" });
    await done;
  });

  test("lets a person at a terminal pick a model, cheapest first, and its effort", async () => {
    const { pi, recorder } = await start({}, (pi) => {
      pi.models = models;
      pi.mode = "tui";
    });
    pi.choices.push("p/dear · $25/Mtok out", "high");
    const done = pi.commands.get("advisor")!.handler("", pi.ctx);
    await settle();
    assert.deepEqual(pi.asked, [
      { title: "Advisor model", options: ["p/strong · $0.5/Mtok out · current", "p/dear · $25/Mtok out", "Turn the advisor off"] },
      { title: "Thinking effort of p/dear (now high)", options: ["off", "low", "medium", "high", "xhigh"] },
    ]);
    const asked = recorder.of("command")[0]!;
    assert.equal(asked.text, "p/dear#high");
    recorder.effect({ type: "answer", call: asked.call, text: "Advisor: p/dear · high" });
    await done;
  });
});

describe("a model of pi's", () => {
  const model: PiModel = { id: "m", provider: "p", api: "openai-completions", baseUrl: "https://p.example/v1", maxTokens: 100 };
  const ask = async (recorder: Recorder, over = {}) => {
    recorder.effect({ type: "generate", id: "g1", provider: "p", model: "m", prompt: "hello", maxTokens: 500, timeoutMs: 1000, ...over });
    await recorder.until(() => recorder.of("generated").length > 0);
    return recorder.of("generated")[0]!;
  };

  test("is run with pi's credentials, where the guest has none", async () => {
    const calls: unknown[][] = [];
    const { recorder } = await start({}, (pi) => {
      pi.models = [model];
      pi.registry.completeSimple = async (...args) => {
        calls.push(args);
        return { stopReason: "stop", content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "hi" }] };
      };
    });
    assert.deepEqual(await ask(recorder), { type: "generated", id: "g1", text: "hi" });
    const [used, context, options] = calls[0] as [PiModel, { messages: { content: string }[] }, { apiKey: string; maxTokens: number }];
    assert.deepEqual([used.id, context.messages[0]!.content, options.apiKey, options.maxTokens], ["m", "hello", "sk-pi", 100]);
  });

  test("thinks as hard as it was asked to, or as hard as it can", async () => {
    const { thinking } = await import("../host/pi/models.ts");
    const able = { ...model, reasoning: true, thinkingLevelMap: { minimal: null, max: "max" } };
    for (const [effort, want] of [
      ["low", "low"],
      ["xhigh", "high"],
      ["max", "max"],
      ["minimal", undefined],
      ["off", undefined],
      ["", undefined],
      ["nonsense", undefined],
    ] as const) {
      assert.equal(thinking(able, effort).reasoning, want, effort);
      assert.equal(thinking(model, effort).reasoning, undefined, "it cannot think");
    }
    let asked: unknown;
    const { recorder } = await start({}, (pi) => {
      pi.models = [able];
      pi.registry.completeSimple = async (_, __, options) => {
        asked = options.reasoning;
        return { stopReason: "stop", content: [{ type: "text", text: "hi" }] };
      };
    });
    await ask(recorder, { effort: "xhigh" });
    assert.equal(asked, "high");
  });

  test("is not called once nobody waits for it", async () => {
    let calls = 0;
    const { recorder } = await start({}, (pi) => {
      pi.models = [model];
      pi.registry.getApiKeyAndHeaders = async () => {
        recorder.effect({ type: "generate_cancel", id: "g1" });
        return { ok: true, apiKey: "sk-pi" };
      };
      pi.registry.completeSimple = async () => (calls++, {});
    });
    assert.deepEqual(await ask(recorder), { type: "generated", id: "g1", failure: "cancelled" });
    await settle();
    assert.equal(calls, 0);
  });

  test("that fails, is not there or has no credentials is a failure, not a throw", async () => {
    const { recorder } = await start({}, (pi) => {
      pi.models = [model];
      pi.registry.completeSimple = async () => ({ stopReason: "error", errorMessage: "401 nope", content: [] });
    });
    assert.deepEqual(await ask(recorder), { type: "generated", id: "g1", failure: "failed", detail: "401 nope" });
    recorder.events.length = 0;
    assert.deepEqual(await ask(recorder, { model: "x" }), { type: "generated", id: "g1", failure: "refused", detail: "pi has no model p/x" });
  });

  test("is reached over HTTP where that is possible; a subscription's token is not handed on", async () => {
    const { readProvider } = await import("../host/pi/models.ts");
    const registry = (over = {}, models = [model]) => ({ ...new Pi().ctx.modelRegistry, getAll: () => models, ...over });
    assert.deepEqual(await readProvider(registry(), "p"), { id: "p", known: true, baseURL: "https://p.example/v1", apiKey: "sk-pi" });
    assert.deepEqual(await readProvider(registry({ isUsingOAuth: () => true }), "p"), { id: "p", known: true });
    assert.deepEqual(await readProvider(registry({}, [model, { ...model, id: "n", api: "anthropic-messages" }]), "p"), { id: "p", known: true });
    assert.deepEqual(await readProvider(registry(), "q"), { id: "q", known: false });
  });
});

describe("the judge", () => {
  const call = (toolName: string, input: object) => ({ toolName, toolCallId: "t1", input });
  async function judged(pi: Pi, recorder: Recorder, event: object, effect: string, message = ""): Promise<unknown> {
    const before = recorder.of("permission").length;
    const done = pi.emit("tool_call", event);
    await recorder.until(() => recorder.of("permission").length > before);
    recorder.effect({ type: "decision", call: "t1", session: "s", effect, ...(message ? { message } : {}) });
    return done;
  }

  test("is not asked unless the person set it up for pi, nor about tools that only look", async () => {
    const { pi, recorder } = await start({ judge: false });
    assert.equal(await pi.emit("tool_call", call("bash", { command: "rm -rf /" })), undefined);
    await pi.end();
    forgetProcess();
    const on = await start();
    for (const name of ["read", "grep", "find", "ls", "advisor"]) assert.equal(await on.pi.emit("tool_call", call(name, {})), undefined);
    assert.deepEqual([...recorder.of("permission"), ...on.recorder.of("permission")], []);
  });

  test("lets a call pass, or blocks it with its reason", async () => {
    const { pi, recorder } = await start();
    assert.equal(await judged(pi, recorder, call("bash", { command: "ls" }), "allow"), undefined);
    assert.equal(await judged(pi, recorder, call("bash", { command: "ls" }), "none"), undefined);
    assert.deepEqual(await judged(pi, recorder, call("write", { path: "/etc/x", content: "y" }), "deny", "it writes outside"), { block: true, reason: "it writes outside" });
    const { started, ...asked } = recorder.of("permission").at(-1)!;
    assert.deepEqual(asked, { type: "permission", session: "s", call: "t1", action: "write", metadata: { path: "/etc/x", content: "y" } });
    assert.equal(typeof started, "number");
  });

  test("leaves what it cannot decide to the person, and hears what they said", async () => {
    const { pi, recorder } = await start();
    pi.choices.push("Allow", "Deny", undefined);
    assert.equal(await judged(pi, recorder, call("bash", { command: "./deploy.sh" }), "ask", "The judge timed out."), undefined);
    assert.match(pi.asked[0]!.title, /The judge timed out\.\nAllow bash \.\/deploy\.sh\?/);
    for (let i = 0; i < 2; i++) assert.deepEqual(await judged(pi, recorder, call("bash", { command: "./deploy.sh" }), "ask"), { block: true, reason: "The person did not allow it." });
    assert.deepEqual(recorder.of("decided").map(({ allowed }) => allowed), [true, false, false]);
  });

  test("shows the person all that they allow, and says where it does not", async () => {
    const { pi, recorder } = await start();
    const hidden = "ls\u001b[2K\r # \u202etxt.sh \u200b\n\techo ok";
    await judged(pi, recorder, call("bash", { command: hidden }), "ask");
    assert.equal(pi.asked[0]!.title, "Allow bash ls\\u{1b}[2K\\u{d} # \\u{202e}txt.sh \\u{200b}\n\techo ok?");
    await judged(pi, recorder, call("bash", { command: `echo ${"x".repeat(3_000)}; rm -rf ~` }), "ask", "\u001b[8mwhy");
    const { title } = pi.asked[1]!;
    assert.match(title, /^\\u\{1b\}\[8mwhy\nAllow bash echo x+\n\[1015 characters are left out here\]\nx+; rm -rf ~\?$/);
    assert.ok(title.length < 2_200);
  });

  test("blocks what it cannot decide where nobody is there to ask", async () => {
    const { pi, recorder } = await start({}, (pi) => (pi.hasUI = false));
    assert.deepEqual(await judged(pi, recorder, call("bash", { command: "./deploy.sh" }), "ask", "The judge timed out."), { block: true, reason: "The judge timed out. Nobody is there to allow it." });
    assert.equal(((await awake(pi.emit("tool_call", call("bash", { command: "./deploy.sh" })))) as { block: boolean }).block, true, "a guest that is silent decides nothing");
  });

  test("has its command", async () => {
    const { pi, recorder } = await start();
    const done = pi.commands.get("ai-approval")!.handler(" off ", pi.ctx);
    await recorder.until(() => recorder.of("command").length > 0);
    const { call, name, text } = recorder.of("command")[0]!;
    assert.deepEqual([name, text], ["ai-approval", "off"]);
    recorder.effect({ type: "answer", call, text: "AI approval is off." });
    await done;
    assert.equal(pi.notified.at(-1)!.text, "AI approval is off.");
  });
});

// pi -p runs no loop of its own: where nothing holds the process it ends with 0, in the middle of the work.
test("pi's process lives while pi waits for the advisor, and no longer", () => {
  const home = scratch();
  const script = path.join(home, "once.mjs");
  fs.writeFileSync(
    script,
    `import extension from ${JSON.stringify(pathToFileURL(path.join(PROJECT_ROOT, "dist", "pi.js")).href)};
    const handlers = {};
    let tool;
    const api = { on: (name, act) => (handlers[name] = act), registerTool: (own) => (tool = own), getActiveTools: () => [] };
    extension(new Proxy(api, { get: (own, name) => own[name] ?? (() => {}) }));
    const ctx = {
      hasUI: false, cwd: ${JSON.stringify(home)}, isIdle: () => true,
      ui: { notify() {}, setStatus() {} },
      sessionManager: { getSessionId: () => "s", getBranch: () => [] },
      modelRegistry: { find() {}, getAll: () => [], getAvailable: () => [] },
    };
    handlers.session_start({ reason: "startup" }, ctx)
      .then(() => handlers.input({ text: "go", source: "interactive" }, ctx))
      .then(() => console.log("the prompt goes on"))
      .then(() => tool.execute("c1", { question: "which?" }, undefined, undefined, ctx))
      .then(() => console.log("so does the call"), () => console.log("so does the call"));`,
  );
  const { stdout, status } = spawnSync(process.execPath, [script], { cwd: home, env: { PATH: process.env["PATH"], HOME: home }, encoding: "utf8" });
  assert.deepEqual([stdout, status], ["the prompt goes on\nso does the call\n", 0]);
});
