import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Deliver } from "../host/protocol.gen.ts";
import { type V1Client, V1Host } from "../host/opencode/v1.ts";
import { readMessages } from "../host/opencode/v1-history.ts";
import { forgetProcess } from "./bench-host.ts";
import { Recorder, settle } from "./recorder.ts";

interface Call {
  method: string;
  body?: unknown;
  path?: unknown;
}

/** V1's client: it records what it is asked and answers from a table. */
function clientOf(answers: Record<string, (options: { path?: unknown; body?: unknown }) => unknown> = {}): { client: V1Client; calls: Call[] } {
  const calls: Call[] = [];
  const method = (name: string) => async (options: { path?: unknown; body?: unknown } = {}) => {
    calls.push({ method: name, ...(options.body === undefined ? {} : { body: options.body }), ...(options.path === undefined ? {} : { path: options.path }) });
    return answers[name]?.(options) ?? { data: {} };
  };
  const group = (name: string) => new Proxy({}, { get: (_, key) => method(`${name}.${String(key)}`) });
  const client = new Proxy({}, { get: (_, key) => (key === "postSessionIdPermissionsPermissionId" ? method("permission") : key === "_client" ? { post: method("post") } : group(String(key))) });
  return { client: client as V1Client, calls };
}

const hosts: V1Host[] = [];
beforeEach(forgetProcess);
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function open(answers = {}, ready = {}): Promise<{ host: V1Host; recorder: Recorder; calls: Call[]; hear(type: string, properties: object): Promise<void>; say(text: string, over?: object): Promise<void> }> {
  const recorder = new Recorder(ready);
  const { client, calls } = clientOf(answers);
  const host = new V1Host(client, recorder.deps);
  hosts.push(host);
  host.start();
  await settle();
  let messages = 0;
  const hear = async (type: string, properties: object) => {
    await host.hooks.event!({ event: { type, properties } as never });
    await settle();
  };
  return {
    host,
    recorder,
    calls,
    hear,
    say: async (text, over = {}) => {
      const info = { id: `msg_${++messages}`, sessionID: "s1", role: "user", time: { created: 1 }, agent: "build", model: { providerID: "p", modelID: "m" } };
      await host.hooks["chat.message"]!({ sessionID: "s1" }, { message: info as never, parts: [{ type: "text", text, ...over }] as never });
      await settle();
    },
  };
}

async function running(answers = {}, ready = {}) {
  const opened = await open(answers, ready);
  await opened.hear("session.created", { info: { id: "s1", title: "t" } });
  await opened.say("hello");
  await opened.hear("session.status", { sessionID: "s1", status: { type: "busy" } });
  return opened;
}

const note = (over: Partial<Deliver> = {}): Deliver => ({ type: "deliver", session: "s1", id: "msg_0123456789abcdef01234567", wake: false, text: "[advisor nit] x", severity: "nit", description: "Advisor nit: x", notes: ["n_1"], ...over });
const part = (text: string, severity: string) => ({ type: "text", text, synthetic: true, metadata: { advisor: true, severity, id: note().id, notes: ["n_1"] } });

describe("a stream", () => {
  test("is posted by the step, never by the token", async () => {
    const { host, recorder } = await running();
    const { posts, events } = recorder;
    const told = events.length;
    const hear = (type: string, properties: object) => void host.hooks.event!({ event: { type, properties } as never });
    const part = { messageID: "a1", sessionID: "s1" };
    hear("message.updated", { info: { id: "a1", sessionID: "s1", role: "assistant" } });
    for (let i = 1; i <= 1_000; i++) hear("message.part.updated", { part: { ...part, id: "x1", type: "text", text: "word ".repeat(i) }, delta: "word " });
    hear("message.part.updated", { part: { ...part, id: "x1", type: "text", text: "word ".repeat(1_000), time: { start: 1, end: 2 } } });
    hear("message.part.updated", { part: { ...part, id: "f1", type: "step-finish", reason: "stop", tokens: { input: 1 } } });
    hear("message.updated", { info: { id: "a1", sessionID: "s1", role: "assistant", time: { completed: 1 } } });
    await settle();
    assert.deepEqual(events.slice(told).map(({ type }) => type), ["turn_start", "text", "step_end"]);
    assert.equal(recorder.posts - posts, 1);
  });
});

describe("a delivery", () => {
  test("that is silent goes to an idle session, to the person's agent and model, without a reply", async () => {
    const { recorder, calls, hear } = await running();
    await hear("session.idle", { sessionID: "s1" });
    recorder.effect(note());
    await settle();
    assert.deepEqual(calls, [{ method: "session.prompt", path: { id: "s1" }, body: { agent: "build", model: { providerID: "p", modelID: "m" }, parts: [part("[advisor nit] x", "nit")], noReply: true } }]);
    assert.deepEqual(recorder.of("receipt"), [{ type: "receipt", session: "s1", id: note().id, state: "admitted" }]);
    await hear("message.part.updated", { part: { type: "step-start", sessionID: "s1", messageID: "a1" } });
    assert.equal(recorder.of("receipt").at(-1)!.state, "seen", "the next step has it before it");
  });

  test("that is silent waits for the end of a turn: V1 would take it as a reason for one more step", async () => {
    const { recorder, calls, hear } = await running();
    recorder.effect(note());
    await settle();
    assert.deepEqual(calls, []);
    assert.equal(recorder.of("receipt")[0]!.state, "held");
    await hear("session.idle", { sessionID: "s1" });
    assert.deepEqual(calls, [], "it may no longer be true: the guest looks, and sends it again");
    recorder.effect(note());
    await settle();
    assert.deepEqual(calls.map(({ method }) => method), ["session.prompt"]);
    assert.equal(recorder.of("receipt").at(-1)!.state, "admitted");
  });

  test("that wakes goes at once, busy or not", async () => {
    const { recorder, calls } = await running();
    recorder.effect(note({ wake: true, severity: "blocker", toast: true }));
    await settle();
    assert.deepEqual(calls, [
      { method: "session.promptAsync", path: { id: "s1" }, body: { agent: "build", model: { providerID: "p", modelID: "m" }, parts: [part("[advisor nit] x", "blocker")] } },
      { method: "tui.showToast", body: { title: "advisor", message: "Advisor nit: x", variant: "error" } },
    ]);
    assert.equal(recorder.of("receipt")[0]!.woke, true);
  });

  test("that is made twice is put once", async () => {
    const { recorder, calls, hear } = await running();
    await hear("session.idle", { sessionID: "s1" });
    recorder.effect(note(), note());
    await settle();
    assert.equal(calls.length, 1);
  });

  test("is refused after the person has gone back: it would throw away what they may want again", async () => {
    const { recorder, calls, hear } = await running();
    await hear("session.idle", { sessionID: "s1" });
    await hear("session.updated", { info: { id: "s1", revert: { messageID: "msg_1" } } });
    assert.deepEqual(recorder.of("reverted"), [{ type: "reverted", session: "s1", message: "msg_1" }]);
    recorder.effect(note());
    await settle();
    assert.deepEqual(calls, []);
    assert.equal(recorder.of("receipt")[0]!.state, "refused");
  });

  test("that the host refuses is told so", async () => {
    const { recorder, hear } = await running({ "session.prompt": () => ({ error: { name: "NotFoundError", data: { message: "no such session" } } }) });
    await hear("session.idle", { sessionID: "s1" });
    recorder.effect(note());
    await settle();
    assert.deepEqual(recorder.of("receipt"), [{ type: "receipt", session: "s1", id: note().id, state: "refused", detail: "no such session" }]);
  });
});

describe("facts about who speaks", () => {
  const cases: [string, object, object][] = [
    ["a person", {}, { typed: true }],
    ["another plugin's mark", { metadata: { other: 1 } }, { foreign: true }],
    ["what the host added", { synthetic: true }, { synthetic: true }],
    ["ourselves", { synthetic: true, metadata: { advisor: true } }, { advisor: true, synthetic: true }],
    ["the host's own word after a compaction", { synthetic: true, metadata: { compaction_continue: true } }, { synthetic: true, continuation: true }],
  ];
  for (const [title, over, want] of cases) {
    test(title, async () => {
      const { recorder, hear, say } = await open();
      await hear("session.created", { info: { id: "s1" } });
      await say("words", over);
      const { type, session, id, text, created, agent, ...facts } = recorder.of("user")[0]!;
      assert.deepEqual({ type, session, id, text, created, agent }, { type: "user", session: "s1", id: "msg_1", text: "words", created: 1, agent: "build" });
      assert.deepEqual(facts, want);
    });
  }

  test("the text of a mentioned file is not the person's", async () => {
    const { host, recorder, hear } = await open();
    await hear("session.created", { info: { id: "s1" } });
    await host.hooks["chat.message"]!({ sessionID: "s1" }, {
      message: { id: "m", sessionID: "s1", role: "user" } as never,
      parts: [{ type: "text", text: "see @a.ts" }, { type: "text", synthetic: true, text: "Called the Read tool" }, { type: "file", filename: "a.ts" }] as never,
    });
    await settle();
    assert.equal(recorder.of("user")[0]!.text, "see @a.ts");
    assert.equal(recorder.of("user")[0]!.typed, true);
  });

  test("a message that the host made by itself, which no hook shows", async () => {
    const { recorder, hear } = await running();
    await hear("message.updated", { info: { id: "m9", sessionID: "s1", role: "user" } });
    await hear("message.part.updated", { part: { id: "p", type: "text", synthetic: true, text: "Continue", metadata: { compaction_continue: true }, messageID: "m9", sessionID: "s1" } });
    assert.deepEqual(recorder.of("user").at(-1), { type: "user", session: "s1", id: "m9", text: "Continue", synthetic: true, continuation: true });
  });
});

describe("a fork", () => {
  const copy = (id: string, role: string, created: number) => ({ info: { id, sessionID: "s2", role, time: { created } }, parts: [] });
  const messages: Record<string, unknown[]> = {
    s0: [copy("x1", "user", 11)],
    s1: [copy("o1", "user", 10), copy("o2", "assistant", 20), copy("o3", "user", 90)],
    s2: [copy("c1", "user", 10), copy("c2", "assistant", 20)],
  };
  const session = (id: string, title: string, created: number, parentID?: string) => ({ id, title, time: { created, updated: created }, ...(parentID ? { parentID } : {}) });
  const answers = {
    "session.messages": ({ path }: { path?: unknown }) => ({ data: messages[(path as { id: string }).id] ?? [] }),
    "session.list": () => ({ data: [session("s0", "Tidy", 1), session("child", "Tidy", 1, "s1"), session("s1", "Renamed since", 2), session("s2", "Tidy (fork #1)", 50), session("later", "Tidy", 60)] }),
  };
  const made = { info: session("s2", "Tidy (fork #1)", 50) };

  test("is told with the session whose messages were copied into it, and the copies are history", async () => {
    const { recorder, hear } = await open(answers);
    await hear("session.created", made);
    for (const { info } of messages["s2"] as { info: object }[]) await hear("message.updated", { info: { ...info, time: { ...(info as { time: object }).time, completed: 21 } } });
    await hear("message.part.updated", { part: { id: "p1", type: "text", sessionID: "s2", messageID: "c2", text: "copied", time: { end: 21 } } });
    await hear("message.part.updated", { part: { id: "p2", type: "step-finish", sessionID: "s2", messageID: "c2", reason: "stop" } });
    await hear("session.status", { sessionID: "s2", status: { type: "busy" } });
    await recorder.until(() => recorder.of("turn_start").length > 0);
    assert.deepEqual(recorder.of("session"), [{ type: "session", session: "s2", title: "Tidy (fork #1)", born: 50, origin: "s1", complete: false }]);
    assert.deepEqual(recorder.events.map(({ type }) => type), ["session", "turn_start"]);
  });

  test("that was made while nobody listened is known by its title and its messages", async () => {
    const { recorder, hear } = await open({ ...answers, "session.get": () => ({ data: made.info }) });
    await hear("session.status", { sessionID: "s2", status: { type: "busy" } });
    await recorder.until(() => recorder.of("turn_start").length > 0);
    assert.equal(recorder.of("session")[0]!.origin, "s1");
  });

  test("whose message comes before the news of it has its origin all the same", async () => {
    const { recorder, hear, host } = await open({ ...answers, "session.get": () => ({ data: made.info }) });
    void host.hooks["chat.message"]!({ sessionID: "s2" }, { message: { id: "h1", sessionID: "s2", role: "user", time: { created: 70 } } as never, parts: [{ type: "text", text: "and now?" }] as never });
    await hear("session.created", made);
    await recorder.until(() => recorder.of("user").length > 0);
    assert.deepEqual(recorder.events.map((event) => (event.type === "user" ? event.text : event)), [{ type: "session", session: "s2", title: "Tidy (fork #1)", born: 50, origin: "s1", complete: false }, "and now?"]);
  });

  test("of which no session has all the messages has no origin", async () => {
    const { recorder, hear } = await open({ ...answers, "session.list": () => ({ data: [session("s0", "Tidy", 1)] }) });
    await hear("session.created", made);
    await hear("message.updated", { info: (messages["s2"]![0] as { info: object }).info });
    await hear("session.status", { sessionID: "s2", status: { type: "busy" } });
    await recorder.until(() => recorder.of("turn_start").length > 0);
    assert.deepEqual(recorder.of("session"), [{ type: "session", session: "s2", title: "Tidy (fork #1)", born: 50, complete: false }]);
  });
});

describe("a clock that was set back", () => {
  test("makes nothing that is said now a copy", async () => {
    const { recorder, hear, say } = await open();
    await hear("session.created", { info: { id: "s1", time: { created: 10_000 } } });
    await say("hello"); // at 1
    await hear("session.status", { sessionID: "s1", status: { type: "busy" } });
    await hear("message.updated", { info: { id: "msg_1", sessionID: "s1", role: "user", time: { created: 1 } } });
    await hear("message.updated", { info: { id: "a1", sessionID: "s1", role: "assistant", parentID: "made_by_the_host", time: { created: 2 } } });
    await hear("message.part.updated", { part: { id: "p1", messageID: "a1", sessionID: "s1", type: "text", text: "Done.", time: { end: 3 } } });
    await hear("message.part.updated", { part: { id: "p2", messageID: "a1", sessionID: "s1", type: "step-finish", reason: "stop" } });
    await hear("session.idle", { sessionID: "s1" });
    assert.deepEqual(recorder.events.map(({ type }) => type), ["session", "user", "turn_start", "text", "step_end", "turn_end"]);
  });
});

describe("a session", () => {
  test("whose facts are long in coming is told as one of which something was missed", async () => {
    let answer = (_: unknown) => {};
    const { recorder, hear } = await open({ "session.get": () => new Promise((resolve) => (answer = resolve)) });
    for (let i = 0; i < 1_001; i++) await hear("session.status", { sessionID: "s1", status: { type: i % 2 ? "idle" : "busy" } });
    answer({ data: {} });
    await settle();
    assert.equal(recorder.of("session")[0]!.complete, false);
  });

  test("whose first message comes before the news of it is told once, whole, with its task, and by the person's agent", async () => {
    let answer = (_: unknown) => {};
    const { recorder, calls, hear, say } = await open({ "session.get": () => new Promise((resolve) => (answer = resolve)) });
    await say("mend the clock");
    await hear("session.created", { info: { id: "s1", title: "t", time: { created: 0 } } });
    await hear("session.status", { sessionID: "s1", status: { type: "busy" } });
    await hear("session.idle", { sessionID: "s1" });
    answer({ data: {} });
    await settle();
    assert.deepEqual(recorder.events.map((event) => (event.type === "user" ? event.text : event.type)), ["session", "mend the clock", "turn_start", "turn_end"]);
    assert.deepEqual(recorder.of("session"), [{ type: "session", session: "s1", title: "t", born: 0, complete: true }]);
    recorder.effect(note());
    await settle();
    assert.equal((calls.at(-1)!.body as { agent: string }).agent, "build");
  });

  test("of a subagent whose first message comes before the news of it has its parent told", async () => {
    const { recorder, hear, say } = await open();
    await say("hello");
    await hear("session.created", { info: { id: "s1", parentID: "s0" } });
    await hear("session.status", { sessionID: "s1", status: { type: "busy" } });
    await hear("session.idle", { sessionID: "s1" });
    assert.equal(recorder.of("session").at(-1)!.parent, "s0");
  });

  test("that was begun before the plugin came is incomplete, and its parent is asked for", async () => {
    const { recorder, calls, say } = await open({ "session.get": () => ({ data: { id: "s1", parentID: "s0", title: "sub" } }) });
    await say("hello");
    assert.deepEqual(calls.map(({ method }) => method), ["session.get"]);
    assert.deepEqual(recorder.of("session"), [{ type: "session", session: "s1", parent: "s0", title: "sub", complete: false }]);
    assert.equal(recorder.of("user").length, 1, "what came meanwhile is not lost");
  });

  test("whose command the person ran has it told as theirs", async () => {
    const { recorder, hear } = await running();
    await hear("message.updated", { info: { id: "u2", sessionID: "s1", role: "user" } });
    await hear("message.part.updated", { part: { id: "p1", type: "text", synthetic: true, text: "The following tool was executed by the user", messageID: "u2", sessionID: "s1" } });
    await hear("message.updated", { info: { id: "a2", parentID: "u2", sessionID: "s1", role: "assistant" } });
    await hear("message.part.updated", { part: { id: "p2", type: "tool", tool: "bash", callID: "c", messageID: "a2", sessionID: "s1", state: { status: "completed", input: { command: "make" }, output: "failed\n", metadata: { exit: 2 } } } });
    await hear("session.idle", { sessionID: "s1" });
    assert.deepEqual(recorder.of("shell"), [{ type: "shell", session: "s1", command: "make", output: "failed\n", hasExit: true, exit: 2 }]);
    assert.equal(recorder.of("user").length, 1);
  });

  test("in which the agent repeats what a command of ours answered has only its deeds told, then and later", async () => {
    const { recorder, hear, say } = await running();
    const ours = { synthetic: true, metadata: { advisor: true, command: true } };
    await say("The person ran /advisor", ours); // msg_2
    const user = { id: "msg_2", sessionID: "s1", role: "user" };
    const answer = { id: "a2", parentID: "msg_2", sessionID: "s1", role: "assistant" };
    const words = { id: "p2", type: "text", text: "all is well", time: { end: 1 }, messageID: "a2", sessionID: "s1" };
    const deed = { id: "p3", type: "tool", tool: "bash", callID: "c", messageID: "a2", sessionID: "s1", state: { status: "completed", input: { command: "ls" }, output: "a\n" } };
    await hear("message.updated", { info: answer });
    await hear("message.part.updated", { part: words });
    await hear("message.part.updated", { part: deed });
    const own = { ...answer, id: "a3", parentID: "msg_1" };
    await hear("message.updated", { info: own });
    await hear("message.part.updated", { part: { ...words, id: "p4", text: "my own", messageID: "a3" } });
    await hear("session.idle", { sessionID: "s1" });
    assert.deepEqual(recorder.of("text").map(({ text }) => text), ["my own"]);
    assert.equal(recorder.of("tool").length, 1);

    const history = readMessages("s1", [
      { info: user, parts: [{ type: "text", text: "The person ran /advisor", ...ours }] },
      { info: answer, parts: [words, deed] },
      { info: own, parts: [{ ...words, text: "my own" }] },
    ]);
    assert.deepEqual(history.map((event) => (event.type === "text" ? event.text : event.type)), ["user", "tool", "my own"]);
  });

  test("has the language server's words with the call that changed a file", async () => {
    const { recorder, hear } = await running();
    await hear("message.updated", { info: { id: "a2", sessionID: "s1", role: "assistant" } });
    const diagnostics = { "/w/b.ts": [{ severity: 2, message: "unused", range: { start: { line: 0 } } }], "/w/a.ts": [{ severity: 1, message: "no such name", range: { start: { line: 4 } } }] };
    await hear("message.part.updated", { part: { id: "p2", type: "tool", tool: "edit", callID: "c", messageID: "a2", sessionID: "s1", state: { status: "completed", input: {}, output: "ok", metadata: { filediff: { file: "/w/a.ts" }, diagnostics } } } });
    await hear("session.idle", { sessionID: "s1" });
    assert.deepEqual(recorder.of("tool")[0]!.diagnostics, [
      { path: "/w/a.ts", line: 5, severity: "error", text: "no such name" },
      { path: "/w/b.ts", line: 1, severity: "warning", text: "unused" },
    ]);
  });

  test("that is interrupted, fails, or says idle twice ends each turn once", async () => {
    const { recorder, hear } = await running();
    await hear("session.error", { sessionID: "s1", error: { name: "MessageAbortedError", data: { message: "aborted" } } });
    await hear("session.status", { sessionID: "s1", status: { type: "idle" } });
    await hear("session.idle", { sessionID: "s1" });
    await hear("session.status", { sessionID: "s1", status: { type: "busy" } });
    await hear("session.status", { sessionID: "s1", status: { type: "retry", attempt: 1 } });
    await hear("session.idle", { sessionID: "s1" });
    assert.deepEqual(recorder.of("turn_end").map(({ outcome, reason }) => ({ outcome, reason })), [
      { outcome: "interrupted", reason: "user" },
      { outcome: "ok", reason: undefined },
    ]);
  });

  test("an event of a shape that nobody knows is passed over", async () => {
    const { host, recorder, hear, say } = await running();
    for (const event of [{}, { type: "message.updated" }, { type: "message.part.updated", properties: { part: null, sessionID: "s1" } }, { type: "session.status", properties: { sessionID: "s1", status: 7 } }, { type: "session.error", properties: { sessionID: "s1" } }]) {
      await host.hooks.event!({ event: event as never });
    }
    await host.hooks["chat.message"]!({ sessionID: "s1" }, { message: null as never, parts: null as never });
    await hear("session.idle", { sessionID: "s1" });
    await say("still here");
    assert.equal(recorder.of("user").at(-1)!.text, "still here");
  });
});

describe("what the host can ask", () => {
  test("the consult tool has plain JSON Schema for its arguments, and answers with text", async () => {
    const { host, recorder } = await open();
    const tool = host.hooks.tool!["consult_advisor"] as unknown as { args: Record<string, { type: string }>; execute(args: object, call: object): Promise<string> };
    assert.deepEqual(Object.entries(tool.args).map(([name, { type }]) => [name, type]), [["question", "string"], ["context", "string"]]);
    const answer = tool.execute({ question: "which?", context: "" }, { sessionID: "s1", abort: new AbortController().signal });
    await recorder.until(() => recorder.of("consult").length > 0);
    recorder.effect({ type: "answer", call: recorder.of("consult")[0]!.call, text: "measure first" });
    assert.equal(await answer, "measure first");

    // A child session has the tool as well: V1 gives it to every agent. The guest refuses it.
    recorder.effect({ type: "ignore", session: "child", reason: "child" });
    await settle();
    const refused = tool.execute({}, { sessionID: "child", abort: new AbortController().signal });
    await recorder.until(() => recorder.of("consult").length > 1);
    assert.deepEqual(recorder.of("consult").map(({ ignored }) => ignored), [undefined, true]);
    recorder.effect({ type: "answer", call: recorder.of("consult")[1]!.call, text: "no", failed: true });
    await refused;
  });

  test("our commands are added to the config, and a person's own of the same name stays", async () => {
    const { host } = await open();
    const config: Record<string, unknown> = { command: { advisor: { template: "mine" }, other: { template: "x" } } };
    await host.hooks.config!(config as never);
    const commands = config["command"] as Record<string, { template: string }>;
    assert.deepEqual(Object.fromEntries(Object.entries(commands).map(([name, { template }]) => [name, template])), { advisor: "mine", "ai-approval": "$ARGUMENTS", other: "x" });
  });

  test("a command's answer takes the place of the prompt", async () => {
    const { host, recorder } = await open();
    const output = { parts: [{ id: "p", type: "text", text: "status" }] };
    const done = host.hooks["command.execute.before"]!({ command: "advisor", sessionID: "s1", arguments: "status" }, output as never);
    await recorder.until(() => recorder.of("command").length > 0);
    recorder.effect({ type: "answer", call: recorder.of("command")[0]!.call, text: "all is well" });
    await done;
    assert.equal(output.parts.length, 1);
    assert.match(output.parts[0]!.text, /all is well/);
    const other = { parts: [] };
    await host.hooks["command.execute.before"]!({ command: "other", sessionID: "s1", arguments: "" }, other as never);
    assert.deepEqual(other.parts, []);
  });

  const asked = (over: object = {}) => ({ id: "per_1", sessionID: "s1", permission: "bash", patterns: ["ls"], metadata: { command: "ls" }, tool: { callID: "c" }, ...over });
  const decision = (effect: string, over: object = {}) => ({ type: "decision", call: "per_1", session: "s1", effect, ...over }) as const;
  const reply = (body: object) => ({ method: "post", path: { requestID: "per_1" }, body });

  for (const [effect, body] of [
    ["allow", { reply: "once" }],
    ["deny", { reply: "reject", message: "it deletes everything" }],
  ] as const) {
    test(`a permission ask that is judged ${effect} is answered so, with the reason of a denial`, async () => {
      const { recorder, calls, hear } = await running();
      await hear("permission.asked", asked());
      const { started, ...sent } = recorder.of("permission")[0]!;
      assert.ok(Date.now() - started! < 60_000);
      assert.deepEqual(sent, { type: "permission", session: "s1", call: "per_1", agent: "build", action: "bash", resources: ["ls"], metadata: { command: "ls" }, source: { callID: "c" } });
      recorder.effect(decision(effect, { message: "it deletes everything" }));
      await settle();
      assert.deepEqual(calls.at(-1), reply(body));
      await hear("permission.replied", { requestID: "per_1", sessionID: "s1", reply: body.reply });
      assert.deepEqual(recorder.of("decided"), [], "what we answered is not the person's word");
    });
  }

  test("a permission ask is answered by the older route where the newer one is not", async () => {
    const { recorder, calls, hear } = await running({ post: () => ({ error: { name: "NotFound" } }) });
    await hear("permission.asked", asked());
    recorder.effect(decision("deny", { message: "no" }));
    await settle();
    assert.deepEqual(calls.at(-1), { method: "permission", path: { id: "s1", permissionID: "per_1" }, body: { response: "reject" } });
  });

  test("what is judged is the tool's real input, whole, which comes before the ask", async () => {
    const { host, recorder, hear } = await running();
    const content = "x".repeat(300_000);
    await host.hooks["tool.execute.before"]!({ tool: "write", sessionID: "s1", callID: "c" }, { args: { filePath: "/project/a.ts", content } });
    await hear("permission.asked", asked({ permission: "edit", patterns: ["a.ts"], metadata: { filepath: "/project/a.ts", diff: "..." } }));
    assert.deepEqual(recorder.of("permission")[0]!.metadata, { filepath: "/project/a.ts", diff: "...", filePath: "/project/a.ts", content });
    await host.hooks["tool.execute.after"]!({ tool: "write", sessionID: "s1", callID: "c", args: {} }, { title: "", output: "", metadata: {} });
    await hear("permission.asked", asked({ id: "per_2" }));
    assert.deepEqual(recorder.of("permission")[1]!.metadata, { command: "ls" });
  });

  test("an input that is too large to be judged whole says so", async () => {
    const { recorder, hear } = await running();
    await hear("permission.asked", asked({ metadata: { command: `echo ${"x".repeat(5_000_000)}` } }));
    const { cut, metadata } = recorder.of("permission")[0]!;
    assert.equal(cut, true);
    assert.ok(JSON.stringify(metadata).length < 1_100_000);
  });

  test("a child's ask is judged, though its session is not watched, and names the session above", async () => {
    const { recorder, hear } = await running();
    await hear("session.created", { info: { id: "c1", parentID: "s1" } });
    recorder.effect({ type: "ignore", session: "c1", reason: "child" });
    await hear("permission.asked", asked({ sessionID: "c1" }));
    assert.equal(recorder.of("permission")[0]!.session, "c1");
    assert.equal(recorder.of("permission")[0]!.top, "s1");
  });

  test("the person who answers first wins", async () => {
    const { recorder, calls, hear } = await running();
    await hear("permission.asked", asked());
    await hear("permission.replied", { requestID: "per_1", sessionID: "s1", reply: "once" });
    assert.deepEqual(recorder.of("decided"), [{ type: "decided", session: "s1", call: "per_1", allowed: true }]);
    recorder.effect(decision("deny"));
    await settle();
    assert.ok(!calls.some(({ method }) => method === "permission" || method === "post"));
  });

  test("the person who answers while our answer is on its way is heard, when ours was refused", async () => {
    let refuse: (answer: object) => void = () => {};
    const { recorder, hear } = await running({ post: () => new Promise((resolve) => (refuse = resolve)), permission: () => ({ error: {} }) });
    await hear("permission.asked", asked());
    recorder.effect(decision("allow"));
    await settle();
    await hear("permission.replied", { requestID: "per_1", sessionID: "s1", reply: "reject" });
    assert.deepEqual(recorder.of("decided"), []);
    refuse({ error: {} });
    await settle();
    assert.deepEqual(recorder.of("decided"), [{ type: "decided", session: "s1", call: "per_1", allowed: false }]);
  });

  // What the host says nothing to in time looks like what cannot be sent: nobody knows whether it arrives.
  const silent = () => Promise.reject(new Error("no answer"));
  for (const [name, answers] of [
    ["by neither route", { post: silent, permission: silent }],
    ["by the newer route, and the older one finds the ask gone", { post: silent, permission: () => ({ error: {} }) }],
  ] as const) {
    for (const [effect, reply] of [["allow", "once"], ["deny", "reject"]] as const) {
      test(`an ${effect} of ours that arrives late is not the person's word, though the host says nothing in time ${name}`, async () => {
        const { recorder, hear } = await running(answers);
        await hear("permission.asked", asked());
        recorder.effect(decision(effect));
        await settle();
        await hear("permission.replied", { requestID: "per_1", sessionID: "s1", reply });
        assert.deepEqual(recorder.of("decided"), []);
      });
    }

    test(`what differs from ours is the person's word, though the host says nothing in time ${name}`, async () => {
      const { recorder, hear } = await running(answers);
      for (const [id, effect, reply] of [["per_1", "allow", "reject"], ["per_2", "deny", "once"], ["per_3", "allow", "always"]] as const) {
        await hear("permission.asked", asked({ id }));
        recorder.effect(decision(effect, { call: id }));
        await settle();
        await hear("permission.replied", { requestID: id, sessionID: "s1", reply });
      }
      assert.deepEqual(recorder.of("decided").map(({ call, allowed }) => [call, allowed]), [["per_1", false], ["per_2", true], ["per_3", true]]);
    });
  }

  test("asks that V1 rejects together with ours are not the person's word, however late it does", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { recorder, hear } = await running({ post: silent, permission: silent });
    await hear("permission.asked", asked());
    await hear("permission.asked", asked({ id: "per_2" }));
    recorder.effect(decision("deny"));
    await settle();
    t.mock.timers.tick(60_000);
    for (const requestID of ["per_1", "per_2"]) await hear("permission.replied", { requestID, sessionID: "s1", reply: "reject" });
    assert.deepEqual(recorder.of("decided"), []);
  });

  test("asks that V1 rejects together with ours are not the person's word", async () => {
    const { recorder, hear } = await running();
    await hear("permission.asked", asked());
    await hear("permission.asked", asked({ id: "per_2" }));
    recorder.effect(decision("deny"));
    await settle();
    await hear("permission.replied", { requestID: "per_2", sessionID: "s1", reply: "reject" });
    assert.deepEqual(recorder.of("decided"), []);
  });

  test("a permission ask that is left to the person is not answered, and its end is told", async () => {
    for (const effect of ["ask", "none"]) {
      const { recorder, calls, hear } = await running();
      await hear("permission.asked", asked());
      recorder.effect(decision(effect));
      await settle();
      await hear("permission.replied", { requestID: "per_1", sessionID: "s1", reply: "reject" });
      assert.ok(!calls.some(({ method }) => method === "permission" || method === "post"));
      assert.deepEqual(recorder.of("decided"), [{ type: "decided", session: "s1", call: "per_1", allowed: false }]);
      await hosts.pop()!.close();
      forgetProcess();
    }
  });

  test("facts of an agent are told, its prompt by itself", async () => {
    const { recorder } = await running({ "app.agents": () => ({ data: [{ name: "plan" }, { name: "build", prompt: "You build.", mode: "primary" }] }) });
    recorder.effect({ type: "facts_wanted", id: "f1", session: "s1", agent: "build" }, { type: "facts_wanted", id: "f2", session: "s1", worktrees: true }, { type: "facts_wanted", id: "f3", session: "s1", agent: "gone" });
    await recorder.until(() => recorder.of("facts").length === 3);
    assert.deepEqual(recorder.of("facts").sort((a, b) => (a.id < b.id ? -1 : 1)), [
      { type: "facts", id: "f1", agentInfo: { name: "build", mode: "primary" }, agentPrompt: "You build." },
      { type: "facts", id: "f2" },
      { type: "facts", id: "f3" },
    ]);
  });

  test("no ask is sent when there is no judge", async () => {
    const { recorder, hear } = await running({}, { judge: false });
    await hear("permission.asked", { id: "per_1", sessionID: "s1", permission: "bash", patterns: [] });
    assert.deepEqual(recorder.of("permission"), []);
  });

  test("a model call has a session of its own, without tools, which is removed and not watched", async () => {
    const { recorder, calls, hear } = await running({
      "session.create": () => ({ data: { id: "own" } }),
      "session.prompt": () => ({ data: { info: {}, parts: [{ type: "step-start" }, { type: "text", text: "yes" }] } }),
    });
    recorder.effect({ type: "generate", id: "g1", session: "s1", provider: "p", model: "m", system: "be brief", prompt: "?", effort: "high", timeoutMs: 1000 });
    await recorder.until(() => recorder.of("generated").length > 0);
    assert.deepEqual(recorder.of("generated"), [{ type: "generated", id: "g1", text: "yes" }]);
    assert.deepEqual(calls, [
      { method: "session.create", body: { title: "advisor", parentID: "s1" } },
      { method: "session.prompt", path: { id: "own" }, body: { model: { providerID: "p", modelID: "m" }, variant: "high", system: "be brief", tools: { "*": false }, parts: [{ type: "text", text: "?" }] } },
      { method: "session.delete", path: { id: "own" } },
    ]);
    await hear("session.status", { sessionID: "own", status: { type: "busy" } });
    await hear("session.idle", { sessionID: "own" });
    assert.ok(!recorder.events.some((event) => "session" in event && event.session === "own"));
  });

  test("a model call that is taken back before its session stands is not made", async () => {
    const { recorder, calls } = await running({
      "session.create": () => {
        recorder.effect({ type: "generate_cancel", id: "g1" });
        return { data: { id: "own" } };
      },
    });
    recorder.effect({ type: "generate", id: "g1", session: "s1", prompt: "?", timeoutMs: 60_000 });
    await settle();
    assert.deepEqual(recorder.of("generated"), [{ type: "generated", id: "g1", failure: "cancelled" }]);
    assert.deepEqual(calls.map(({ method }) => method), ["session.create", "session.delete"]);
  });

  test("a model call that fails tells all that the provider said: the guest takes keys out before it shortens", async () => {
    const message = `refused ${"x".repeat(290)} sk-test-1234567890`;
    const { recorder } = await running({
      "session.create": () => ({ data: { id: "own" } }),
      "session.prompt": () => {
        throw new Error(message);
      },
    });
    recorder.effect({ type: "generate", id: "g1", session: "s1", prompt: "?", timeoutMs: 60_000 });
    await recorder.until(() => recorder.of("generated").length > 0);
    assert.deepEqual(recorder.of("generated"), [{ type: "generated", id: "g1", failure: "failed", detail: message }]);
  });

  test("signals are the working tree's changes", async () => {
    const { recorder } = await running({ "file.status": () => ({ data: [{ path: "a.ts", status: "modified", added: 2, removed: 1 }] }) });
    recorder.effect({ type: "signals_wanted", session: "s1", id: "w1" });
    await recorder.until(() => recorder.of("signals").length > 0);
    assert.deepEqual(recorder.of("signals"), [{ type: "signals", session: "s1", id: "w1", changes: [{ path: "a.ts", status: "modified", added: 2, removed: 1 }] }]);
  });

  test("a notice is a toast and a line of the host's log", async () => {
    const { recorder, calls } = await running();
    recorder.effect({ type: "notice", key: "k", variant: "warning", text: "The endpoint refused the key." });
    await settle();
    assert.deepEqual(calls, [
      { method: "tui.showToast", body: { title: "advisor", message: "The endpoint refused the key.", variant: "warning" } },
      { method: "app.log", body: { service: "opencode-superadvisor", level: "warn", message: "The endpoint refused the key." } },
    ]);
  });
});

test("a provider is read from the config first, then from the host's list", async () => {
  const { host } = await open({
    "config.providers": () => ({ data: { providers: [{ id: "listed", key: "sk-login", options: {}, models: { m: { api: { url: "https://listed.test/v1" } } } }] } }),
  });
  await host.hooks.config!({ provider: { own: { options: { baseURL: "https://own.test/v1", apiKey: "sk-own", headers: { "X-Team": "a", bad: 7 } } } } } as never);
  assert.deepEqual(await host.providers(["own", "listed", "unknown"]), [
    { id: "own", known: true, baseURL: "https://own.test/v1", apiKey: "sk-own", headers: [{ name: "X-Team", value: "a" }] },
    { id: "listed", known: true, baseURL: "https://listed.test/v1", apiKey: "sk-login" },
    { id: "unknown", known: false },
  ]);
});
