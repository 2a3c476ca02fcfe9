import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Deliver, Event, Notice, User } from "../host/protocol.gen.ts";
import { isV2, V2Host } from "../host/opencode/v2.ts";
import type { V2Context } from "../host/opencode/v2-types.ts";
import { firstTime, occupy, shared } from "../host/registry.ts";
import { forgetProcess } from "./bench-host.ts";
import { awake, Recorder, settle } from "./recorder.ts";
import { V2Service } from "./v2-service.ts";

const services: V2Service[] = [];
beforeEach(forgetProcess);
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

/** A service whose locations each have one instance, which a recorder stands behind. */
function serve(): { service: V2Service; at(directory: string): Recorder } {
  const recorders = new Map<string, Recorder>();
  const service = new V2Service([
    (context: V2Context) => {
      const directory = context.location!.directory!;
      const recorder = new Recorder();
      recorders.set(directory, recorder);
      const host = new V2Host(context, directory, recorder.deps);
      host.start();
      return () => host.close();
    },
  ]);
  services.push(service);
  return { service, at: (directory) => recorders.get(directory)! };
}

function note(session: string, over: Partial<Deliver> = {}): Deliver {
  return { type: "deliver", session, id: "msg_0123456789abcdef01234567", wake: false, text: "[advisor nit] rename x", severity: "nit", description: "Advisor nit: rename x", notes: ["n_1"], ...over };
}

const kinds = (events: Event[]) => events.map(({ type }) => type);

describe("a session", () => {
  for (const spelling of ["beta", "2.0"] as const) {
    for (const asText of [false, true]) {
      test(`is told from its second event on, with a resync for the first (${spelling}${asText ? ", as text" : ""})`, async () => {
        const { service, at } = serve();
        service.spelling = spelling;
        service.asText = asText;
        const id = service.create("/a");
        service.script.push([{ tools: [{ name: "write", input: { filePath: "x.ts" }, output: "Wrote it.", structured: { operation: "write", resource: "x.ts" } }] }, { text: "Done." }]);
        await service.type(id, "Write x.ts.");
        await settle();
        const recorder = at("/a");
        assert.deepEqual(kinds(recorder.events), ["session", "turn_start", "tool", "step_end", "text", "step_end", "turn_end"]);
        assert.equal(recorder.of("session")[0]!.complete, false);
        assert.deepEqual(recorder.of("tool")[0]!.files, ["x.ts"]);

        recorder.effect({ type: "resync", session: id });
        await recorder.until(() => recorder.of("history").length > 0);
        const history = recorder.of("history")[0]!.events!;
        assert.deepEqual(kinds(history), ["user", "tool", "step_end", "text", "step_end"]);
        const { id: message, created: _, ...user } = history[0] as User;
        assert.deepEqual(user, { type: "user", session: id, text: "Write x.ts.", typed: true });
        assert.match(message, /^msg_/);
      });
    }
  }

  test("that was forked is told with its origin, and asks for what was copied", async () => {
    const { service, at } = serve();
    service.load("/a");
    const from = service.create("/a");
    const id = service.fork(from);
    await service.type(id, "Go on.");
    await settle();
    const facts = at("/a").of("session").find(({ session }) => session === id)!;
    assert.equal(facts.origin, from);
    assert.equal(facts.complete, false);
    assert.ok(facts.born! > 0);
    assert.equal(facts.parent, undefined, "it is no child");
  });

  test("that is created while the plugin listens is complete, and needs no resync", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "hello");
    await settle();
    assert.equal(at("/a").of("session").length, 1);
    assert.equal(at("/a").of("session")[0]!.complete, true);
    assert.deepEqual(at("/a").of("user").map(({ text, typed }) => ({ text, typed })), [{ text: "hello", typed: true }]);
  });

  test("is posted by the step, never by the token", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "hello");
    await settle();
    const { posts, events } = at("/a");
    const told = events.length;
    for (let i = 0; i < 1_000; i++) service.emit(id, "session.text.delta", { assistantMessageID: "m1", textID: "t1", delta: "word " }, true);
    service.emit(id, "session.text.ended", { assistantMessageID: "m1", textID: "t1", text: "word ".repeat(1_000) }, true);
    service.emit(id, "session.step.ended", { assistantMessageID: "m1", finish: "stop", tokens: { input: 1 } }, true);
    await settle();
    assert.deepEqual(kinds(events.slice(told)), ["text", "step_end"]);
    assert.equal(at("/a").posts - posts, 1);
  });

  test("of another location is not ours, though every instance hears it", async () => {
    const { service, at } = serve();
    service.load("/a");
    service.load("/b");
    const a = service.create("/a");
    const b = service.create("/b");
    await Promise.all([service.type(a, "for a"), service.type(b, "for b")]);
    await settle();
    assert.deepEqual(at("/a").of("user").map(({ text }) => text), ["for a"]);
    assert.deepEqual(at("/b").of("user").map(({ text }) => text), ["for b"]);
    assert.deepEqual(at("/a").of("turn_end").map(({ session }) => session), [a], "events that carry no location too");
  });

  test("of a subagent has its parent told", async () => {
    const { service, at } = serve();
    service.load("/a");
    const parent = service.create("/a");
    const child = service.create("/a", parent);
    await service.type(child, "sub");
    await settle();
    assert.equal(at("/a").of("session").find(({ session }) => session === child)?.parent, parent);
  });

  test("of a subagent that was begun before the plugin came has its parent told", async () => {
    const { service, at } = serve();
    const parent = service.create("/a");
    const child = service.create("/a", parent);
    await service.type(child, "sub");
    await settle();
    assert.equal(at("/a").of("session")[0]?.parent, parent);
  });

  test("that the host does not know any more is watched by what its events say", async () => {
    const { service, at } = serve();
    service.refuse.add("get");
    await service.type(service.create("/a"), "hello");
    await settle();
    assert.equal(at("/a").of("turn_end").length, 1);
  });

  test("whose place nobody tells is no location's until an event does", async () => {
    const { service, at } = serve();
    const id = service.create("/b");
    service.load("/a");
    service.load("/b");
    service.refuse.add("get");
    service.emit(id, "session.execution.started", {}, false);
    await settle();
    assert.deepEqual([...at("/a").events, ...at("/b").events], [], "asked in vain");
    await service.type(id, "hello");
    await settle();
    assert.deepEqual(at("/a").events, []);
    assert.equal(at("/b").of("turn_end").length, 1);
  });

  test("that is moved is the other location's from then on", async () => {
    const { service, at } = serve();
    service.load("/a");
    service.load("/b");
    const id = service.create("/a");
    await service.type(id, "one");
    await service.move(id, "/b");
    await service.type(id, "two");
    await settle();
    assert.deepEqual(at("/a").of("turn_end").length, 1);
    assert.deepEqual(at("/b").of("user").map(({ text }) => text), ["two"]);
    assert.equal(at("/b").of("session")[0]!.complete, false);
    await service.move(id, "/a");
    await service.type(id, "three");
    await settle();
    assert.deepEqual(at("/a").of("user").map(({ text }) => text), ["one", "three"]);
  });

  test("with a hole in its numbers is told again as incomplete", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    for (let i = 0; i < 3; i++) service.lose(id);
    await service.type(id, "two");
    await settle();
    assert.deepEqual(at("/a").of("session").map(({ complete }) => complete), [true, false]);
    assert.ok(kinds(at("/a").events).lastIndexOf("session") < kinds(at("/a").events).lastIndexOf("user"), "before what follows");
  });

  test("that is ignored is not sent on", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    await settle();
    at("/a").effect({ type: "ignore", session: id, reason: "child" });
    const before = at("/a").events.length;
    await service.type(id, "two");
    await settle();
    assert.equal(at("/a").events.length, before);
  });

  test("an event of a shape that nobody knows is passed over", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    for (const [type, data] of [
      ["session.text.ended", { text: 7 }],
      ["session.tool.success", {}],
      ["session.tool.success", { callID: null, content: "x" }],
      ["session.input.admitted", { input: null }],
      ["session.step.ended", { tokens: "many", files: [1, null] }],
      ["session.shell.ended", { shell: [] }],
      ["constructor", {}],
      ["__proto__", {}],
    ] as const) {
      service.emit(id, type, data, true);
    }
    await service.type(id, "still here");
    await settle();
    assert.equal(at("/a").of("turn_end").length, 1);
  });
});

describe("facts about who speaks", () => {
  test("a person, another plugin, ourselves", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "a person");
    await service.type(id, "with another's mark", { other: 1 });
    at("/a").effect(note(id, { wake: true, severity: "blocker", text: "ours" }));
    await settle();
    await service.idle(id);
    await settle();
    const facts = at("/a")
      .of("user")
      .map(({ text, typed, foreign, advisor, synthetic }) => ({ text, typed, foreign, advisor, synthetic }));
    assert.deepEqual(facts, [
      { text: "a person", typed: true, foreign: undefined, advisor: undefined, synthetic: undefined },
      { text: "with another's mark", typed: undefined, foreign: true, advisor: undefined, synthetic: undefined },
      { text: "ours", typed: undefined, foreign: undefined, advisor: true, synthetic: true },
    ]);
  });

  test("another plugin's prompt, which the host marks by leaving its location out", async () => {
    const { service, at } = serve();
    let other: V2Context | undefined;
    service.load("/a");
    service.instance("/a", (context) => {
      other = context;
      return undefined;
    });
    const id = service.create("/a");
    await service.type(id, "a person");
    await other!.session!.prompt!({ sessionID: id, text: "a plugin that types like a person" });
    await service.idle(id);
    await settle();
    assert.deepEqual(
      at("/a").of("user").map(({ typed, foreign }) => ({ typed, foreign })),
      [
        { typed: true, foreign: undefined },
        { typed: undefined, foreign: true },
      ],
    );
  });
});

describe("a delivery", () => {
  test("that is silent wakes nobody, waits, and is seen in front of the next input", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    await settle();
    const recorder = at("/a");
    const turns = recorder.of("turn_start").length;
    recorder.effect(note(id));
    await recorder.until(() => recorder.of("receipt").length > 0);
    assert.deepEqual(recorder.of("receipt"), [{ type: "receipt", session: id, id: note(id).id, state: "admitted" }]);
    assert.deepEqual(service.calls, [
      { method: "synthetic", input: { sessionID: id, id: note(id).id, text: "[advisor nit] rename x", description: "Advisor nit: rename x", metadata: { advisor: true, severity: "nit", notes: ["n_1"] }, delivery: "steer", resume: false } },
    ]);
    await settle();
    assert.equal(recorder.of("turn_start").length, turns, "no turn began");
    await service.type(id, "two");
    await settle();
    assert.equal(recorder.of("receipt").at(-1)!.state, "seen");
    const texts = service.contextOf(id).map((message) => (message as { text?: string }).text);
    assert.ok(texts.indexOf("[advisor nit] rename x") < texts.indexOf("two"));
  });

  test("in the middle of a turn is taken at the next step", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    const id = service.create("/a");
    service.script.push([{ text: "one", during: () => at("/a").effect(note(id), note(id, { id: "msg_second", text: "second" })) }, { text: "two" }]);
    await service.type(id, "go");
    await settle();
    const inContext = service.contextOf(id).map((message) => (message as { text?: string; type: string }).text ?? (message as { type: string }).type);
    assert.deepEqual(inContext, ["go", "assistant", "[advisor nit] rename x", "second", "assistant"], "both in one batch");
    assert.equal(at("/a").of("turn_end").length, 1);
    assert.deepEqual(at("/a").of("receipt").map(({ state }) => state).sort(), ["admitted", "admitted", "seen", "seen"]);
  });

  test("that wakes makes an idle session run", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    await settle();
    at("/a").effect(note(id, { wake: true, severity: "blocker" }));
    await settle();
    await service.idle(id);
    await settle();
    assert.equal(at("/a").of("turn_end").length, 2);
    assert.deepEqual(at("/a").of("receipt").map(({ state, woke }) => ({ state, woke })), [
      { state: "admitted", woke: true },
      { state: "seen", woke: undefined },
    ]);
    assert.equal(service.calls[0]!.input.resume, true);
  });

  test("that is made twice is admitted once", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    at("/a").effect(note(id), note(id));
    await settle();
    await service.type(id, "two");
    await settle();
    assert.equal(service.contextOf(id).filter((message) => (message as { type: string }).type === "synthetic").length, 1);
  });

  test("that wakes and is refused as synthetic goes as a prompt, with the same id and mark", async () => {
    const { service, at } = serve();
    service.load("/a");
    service.refuse.add("synthetic");
    const id = service.create("/a");
    await service.type(id, "one");
    at("/a").effect(note(id, { wake: true, severity: "blocker" }));
    await settle();
    await service.idle(id);
    await settle();
    assert.deepEqual(service.calls.map(({ method }) => method), ["synthetic", "prompt"]);
    assert.equal(at("/a").of("user").at(-1)!.advisor, true);
    assert.equal(at("/a").of("user").at(-1)!.typed, undefined);
    assert.equal(at("/a").of("receipt")[0]!.woke, true);
  });

  test("that the host refuses is told so", async () => {
    const { service, at } = serve();
    service.load("/a");
    service.refuse.add("synthetic").add("prompt");
    const id = service.create("/a");
    await service.type(id, "one");
    at("/a").effect(note(id), note(id, { id: "msg_second", wake: true }));
    await settle();
    assert.deepEqual(at("/a").of("receipt").map(({ state, detail }) => ({ state, detail })), [
      { state: "refused", detail: "refused synthetic" },
      { state: "refused", detail: "refused prompt" },
    ]);
  });

  test("whose turn was over before the plugin looked is seen in the history", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    at("/a").effect(note(id));
    await settle();
    await service.type(id, "two");
    await settle();
    const before = at("/a").of("receipt").length;
    at("/a").effect({ type: "resync", session: id });
    await settle();
    assert.equal(at("/a").of("receipt").length, before + 1);
  });
});

describe("a notice", () => {
  const notice: Notice = { type: "notice", key: "k", variant: "warning", text: "The endpoint refused the key." };

  test("is a message that wakes nobody and is ours", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    at("/a").effect(notice);
    await settle();
    assert.deepEqual(service.calls[0]!.input.metadata, { advisor: true, notice: true, severity: "notice" });
    assert.equal(service.calls[0]!.input.resume, false);
    assert.match(service.calls[0]!.input.text, /^\[advisor\] The endpoint refused the key\.$/);
    assert.equal(at("/a").of("user").at(-1)!.advisor, true);
  });

  test("without a session waits for the first", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    at("/a").effect(notice);
    await settle();
    assert.deepEqual(service.calls, []);
    await service.type(service.create("/a"), "one");
    await settle();
    assert.equal(service.calls.length, 1);
  });
});

describe("what the host can ask", () => {
  test("the consult tool answers with text, and is a tool that is called directly", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    const tool = service.registered["tool"]![0] as { name: string; options: { codemode: boolean }; execute(input: object, call: object): Promise<unknown> };
    assert.equal(tool.name, "consult_advisor");
    assert.equal(tool.options.codemode, false);
    const result = tool.execute({ question: "which?", context: "this" }, { sessionID: "s1", signal: new AbortController().signal });
    await at("/a").until(() => at("/a").of("consult").length > 0);
    const { call, ...asked } = at("/a").of("consult")[0]!;
    assert.deepEqual(asked, { type: "consult", session: "s1", question: "which?", context: "this" });
    at("/a").effect({ type: "answer", call, text: "measure first" });
    assert.deepEqual(await result, { content: [{ type: "text", text: "measure first" }] });
  });

  test("bad arguments of the tool are no defect", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    const tool = service.registered["tool"]![0]!;
    for (const input of [null, 7, "x", { question: 7 }]) {
      const result = tool.execute!(input, undefined);
      await settle();
      at("/a").effect({ type: "answer", call: at("/a").of("consult").at(-1)!.call, text: "no question was given", failed: true });
      assert.deepEqual(await result, { content: [{ type: "text", text: "no question was given" }] });
    }
  });

  test("a command is answered in the session", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    const command = service.registered["command"]!.find(({ name }) => name === "advisor")!;
    const done = command.execute!({ sessionID: id, prompt: { text: "status" } });
    await at("/a").until(() => at("/a").of("command").length > 0);
    const { call, ...asked } = at("/a").of("command")[0]!;
    assert.deepEqual(asked, { type: "command", session: id, name: "advisor", text: "status", models: ["p/m"] });
    at("/a").effect({ type: "answer", call, text: "all is well" });
    await done;
    assert.equal(service.calls.at(-1)!.input.text, "[advisor] all is well");
    assert.equal(service.calls.at(-1)!.input.resume, false);
  });

  test("a permission ask takes the guest's decision; an allow of the rules is left alone", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    const allowed = { effect: "allow", sessionID: "s1", action: "bash" };
    await service.judge!(allowed);
    assert.equal(allowed.effect, "allow");
    assert.equal(at("/a").of("permission").length, 0);

    const ask: { effect: string; message?: string; sessionID: string; action: string; resources: string[]; metadata: object } = { effect: "ask", sessionID: "s1", action: "bash", resources: ["rm -rf /"], metadata: { command: "rm -rf /" } };
    const done = service.judge!(ask);
    await at("/a").until(() => at("/a").of("permission").length > 0);
    const { call, started, ...asked } = at("/a").of("permission")[0]!;
    assert.ok(Date.now() - started! < 60_000);
    assert.deepEqual(asked, { type: "permission", session: "s1", action: "bash", resources: ["rm -rf /"], metadata: { command: "rm -rf /" } });
    at("/a").effect({ type: "decision", call, session: "s1", effect: "deny", message: "it deletes everything" });
    await done;
    assert.deepEqual({ effect: ask.effect, message: ask.message }, { effect: "deny", message: "it deletes everything" });
  });

  test("an ask that is left to the person is told how it ended", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    const ask = { effect: "ask", sessionID: id, action: "bash", resources: ["ls"] };
    const done = service.judge!(ask);
    await at("/a").until(() => at("/a").of("permission").length > 0);
    const { call } = at("/a").of("permission")[0]!;
    at("/a").effect({ type: "decision", call, session: id, effect: "ask" });
    await done;
    assert.equal(ask.effect, "ask");
    service.emit(id, "permission.asked", { id: "per_1", action: "bash", resources: ["ls"] }, true);
    service.emit(id, "permission.replied", { requestID: "per_1", reply: "once" }, true);
    await settle();
    assert.deepEqual(at("/a").of("decided"), [{ type: "decided", session: id, call, allowed: true }]);
  });

  test("an ask that the judge could not decide says why", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    const ask: { effect: string; message?: string; sessionID: string; action: string } = { effect: "ask", sessionID: id, action: "bash" };
    const done = service.judge!(ask);
    await at("/a").until(() => at("/a").of("permission").length > 0);
    at("/a").effect({ type: "decision", call: at("/a").of("permission")[0]!.call, session: id, effect: "ask", message: "timed out" });
    await done;
    assert.deepEqual([ask.effect, ask.message], ["ask", "timed out"]);
  });

  test("an ask that nobody answers in time is the host's own", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    const ask: { effect: string; message?: string; sessionID: string; action: string } = { effect: "ask", sessionID: id, action: "bash" };
    await awake(service.judge!(ask)); // the recorder's guest is silent; the deadline is a second
    assert.deepEqual([ask.effect, ask.message], ["ask", "The judge did not answer within 1000 ms."]);
    assert.equal(at("/a").of("abort").length, 1);
  });

  test("a child's ask names the session above; another location's is not ours", async () => {
    const { service, at } = serve();
    service.load("/a");
    const id = service.create("/a");
    await service.type(id, "one");
    const child = service.create("/a", id);
    const done = service.judge!({ effect: "ask", sessionID: child, action: "bash" });
    await at("/a").until(() => at("/a").of("permission").length > 0);
    const { call, session, top } = at("/a").of("permission")[0]!;
    assert.deepEqual([session, top], [child, id]);
    at("/a").effect({ type: "decision", call, session, effect: "allow" });
    await done;
    await service.judge!({ effect: "ask", sessionID: service.create("/b"), action: "bash" });
    assert.equal(at("/a").of("permission").length, 1);
  });

  test("a model call that was taken back is not made again without its variant", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    at("/a").effect({ type: "generate", id: "g1", provider: "p", model: "m", prompt: "hello", effort: "max", timeoutMs: 60_000 });
    at("/a").effect({ type: "generate_cancel", id: "g1" });
    await settle();
    assert.equal(at("/a").of("generated")[0]!.failure, "cancelled");
    assert.equal(service.generated, 1);
  });

  test("a model call goes to the host's own model", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    at("/a").effect({ type: "generate", id: "g1", system: "be brief", prompt: "hello", timeoutMs: 1000 });
    await at("/a").until(() => at("/a").of("generated").length > 0);
    assert.deepEqual(at("/a").of("generated"), [{ type: "generated", id: "g1", text: "generated for be brief\n\nhello" }]);
    for (const [effort, text] of [
      ["high", "generated for hello (high)"],
      ["max", "generated for hello"],
    ] as const) {
      at("/a").events.length = 0;
      at("/a").effect({ type: "generate", id: "g2", provider: "p", model: "m", prompt: "hello", effort, timeoutMs: 1000 });
      await at("/a").until(() => at("/a").of("generated").length > 0);
      assert.deepEqual(at("/a").of("generated"), [{ type: "generated", id: "g2", text }], effort);
    }
  });
});

describe("the stream of events", () => {
  /** Timers fire at once. */
  async function atOnce(work: () => Promise<void>): Promise<void> {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((fire: () => void) => setTimeout(fire, 0)) as typeof setTimeout;
    await work().finally(() => (globalThis.setTimeout = setTimeout));
  }

  async function subscriptions(stream: (n: number, stop: AbortController) => AsyncGenerator<unknown>): Promise<number> {
    const stop = new AbortController();
    let n = 0;
    const session = { get: async () => ({}), synthetic: async () => ({}) };
    const host = new V2Host({ session, event: { subscribe: () => stream(++n, stop) } } as V2Context, "/a", new Recorder().deps);
    await atOnce(async () => {
      host.start();
      for (let quiet = 0, before = 0; quiet < 20 && !stop.signal.aborted; quiet = n === before ? quiet + 1 : 0, before = n) await new Promise((resolve) => setTimeout(resolve, 0));
      await host.close();
    });
    return n;
  }

  test("may break any number of times in a long life", async () => {
    const n = await subscriptions(async function* (n, stop) {
      yield { type: "session.status", data: {} };
      if (n === 25) stop.abort();
      throw new Error("the stream broke");
    });
    assert.equal(n, 25);
  });

  test("that never says a word is given up", async () => {
    const n = await subscriptions(async function* (n, stop) {
      if (n === 20) stop.abort();
    });
    assert.equal(n, 10);
  });
});

describe("loading", () => {
  test("V1's reduced context is not V2's", () => {
    assert.equal(isV2({}), false);
    assert.equal(isV2({ event: {}, session: {} }), false);
    assert.equal(isV2({ options: {}, catalog: {} }), false);
  });

  test("of a second copy does nothing until the first one leaves", () => {
    const log: string[] = [];
    const leaveFirst = occupy("p", () => log.push("first"));
    const leaveSecond = occupy("p", () => log.push("second"));
    const leaveThird = occupy("p", () => log.push("third"));
    occupy("q", () => log.push("another place"));
    assert.deepEqual(log, ["first", "another place"]);
    leaveSecond();
    leaveFirst();
    assert.deepEqual(log, ["first", "another place", "third"]);
    leaveThird();
    occupy("p", () => log.push("fresh"));
    assert.deepEqual(log.at(-1), "fresh");
  });

  test("for weeks remembers a bounded number of notices, the last ones", () => {
    for (let i = 0; i < 10_050; i++) assert.equal(firstTime(`k${i}`), true);
    assert.equal(shared().shown.size, 10_000);
    assert.deepEqual([firstTime("k10049"), firstTime("k0")], [false, true]);
  });

  test("and unloading leaves nothing registered and no thread", async () => {
    const { service, at } = serve();
    service.load("/a");
    await settle();
    assert.equal(service.registered["tool"]!.length, 1);
    await service.close();
    assert.deepEqual(service.registered, { tool: [], command: [] });
    assert.equal(service.judge, undefined);
    assert.equal(at("/a").abandoned, true);
  });
});
