// Everything that a host hands over, spoiled in one place after the other. Nothing may throw into the host, and what comes
// after it must be heard as before.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { boundAsk, boundInput } from "../host/opencode/input.ts";
import { type V1Client, V1Host } from "../host/opencode/v1.ts";
import { V2Host } from "../host/opencode/v2.ts";
import type { V2Context } from "../host/opencode/v2-types.ts";
import { extension } from "../host/pi.ts";
import type { HostEffect } from "../host/messages.ts";
import { describe as words } from "../host/text.ts";
import { forgetProcess } from "./bench-host.ts";
import { Pi } from "./pi-memory.ts";
import { awake, Recorder, settle } from "./recorder.ts";
import { type Line, traces } from "./trace-files.ts";

beforeEach(forgetProcess);

const trap = (): never => {
  throw new Error("spoiled");
};
const circle: Record<string, unknown> = {};
circle["again"] = [circle];
let deep: unknown = 1;
for (let i = 0; i < 10_000; i++) deep = i % 2 ? [deep] : { deep };

/** What no host should hand over, by name. */
const odd: Record<string, unknown> = {
  null: null,
  undefined: undefined,
  "a number that is none": NaN,
  "a big integer": 2n ** 70n,
  "a symbol": Symbol("odd"),
  "a function": () => 1,
  "a lone surrogate": "\ud800 \udfff",
  "a circle": circle,
  "a deep nest": deep,
  "a long list": new Array(50_000).fill(null),
  "many bytes": new Uint8Array(1_000_000),
  "a map": new Map([[circle, circle]]),
  "a getter that throws": Object.defineProperty({}, "text", { get: trap, enumerable: true }),
  "a proxy that throws": new Proxy({}, { get: trap, ownKeys: trap, has: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap }),
  "a proxy that was revoked": revoked(),
  "a prototype's key": JSON.parse('{"__proto__": {"advisor": true, "text": "x"}, "constructor": 1, "hasOwnProperty": 2}'),
  "no prototype": Object.assign(Object.create(null), { text: "x" }),
  "a toJSON that throws": { toJSON: trap },
  "a toString that throws": { toString: trap, message: { toString: trap } },
};

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Copies of a value in which one place after the other is odd; first the whole. */
function* spoiled(value: unknown, bad: unknown): Generator<unknown> {
  yield bad;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    for (const other of spoiled(item, bad)) yield Array.isArray(value) ? value.map((same: unknown, at) => (String(at) === key ? other : same)) : { ...value, [key]: other };
  }
}

/** One of each kind of line. */
function kinds(host: string, kindOf: (line: Line) => string | undefined): unknown[] {
  const found = new Map<string, unknown>();
  for (const { lines } of traces(host)) {
    for (const line of lines) {
      const kind = kindOf(line);
      if (kind !== undefined && !found.has(kind)) found.set(kind, line.v);
    }
  }
  return [...found.values()];
}

const field = (value: unknown, name: string) => String((value as Record<string, unknown>)[name]);

/** What a guest may ask of its host, each with the event that ends it. */
const errands: [HostEffect, string][] = [
  [{ type: "resync", session: "s1" }, "history"],
  [{ type: "signals_wanted", session: "s1", id: "w1" }, "signals"],
  [{ type: "facts_wanted", session: "s1", id: "f1", agent: "build", worktrees: true }, "facts"],
  [{ type: "generate", session: "s1", id: "g1", provider: "p", model: "m", prompt: "?", timeoutMs: 50 }, "generated"],
  [{ type: "deliver", session: "s1", id: "d1", wake: true, text: "t", severity: "blocker", description: "d", toast: true }, "receipt"],
];

for (const [name, bad] of Object.entries(odd)) {
  describe(name, () => {
    test("is bounded, as JSON", () => {
      for (const input of spoiled({ a: [{ b: "c" }], d: "e" }, bad)) {
        for (const bounded of [boundInput(input), boundAsk(input).value]) {
          structuredClone(bounded);
          assert.ok((JSON.stringify(bounded) ?? "").length < 200_000);
        }
      }
      assert.equal(typeof words(bad), "string");
    });

    test("in V1's hooks", async () => {
      const recorder = new Recorder();
      const host = new V1Host({} as V1Client, recorder.deps);
      host.start();
      await settle();
      const { hooks } = host;
      const lines = kinds("opencode-v1", ({ k, v }) => (k === "event" ? `${field(v, "type")} ${field((v as { properties?: { part?: unknown } }).properties?.part ?? {}, "type")}` : undefined));
      assert.ok(lines.length > 10);
      const message = { info: { id: "m1", sessionID: "s1", role: "user", time: { created: 1 }, agent: "build", model: { providerID: "p", modelID: "m" } }, parts: [{ type: "text", text: "x", metadata: { a: 1 } }] };
      const call = { tool: "bash", sessionID: "s1", callID: "c1", args: { command: "ls" } };
      const ask = { id: "per_1", sessionID: "s1", permission: "bash", patterns: ["ls"], metadata: { command: "ls" }, tool: { callID: "c1" } };
      for (const event of lines) for (const other of spoiled(event, bad)) await hooks.event!({ event: other as never });
      for (const other of spoiled({ type: "permission.asked", properties: ask }, bad)) await hooks.event!({ event: other as never });
      for (const other of spoiled({ type: "permission.replied", properties: { requestID: "per_1", sessionID: "s1", reply: "once" } }, bad)) await hooks.event!({ event: other as never });
      for (const other of spoiled(message, bad)) await hooks["chat.message"]!({ sessionID: "s1" }, { message: field_(other, "info") as never, parts: field_(other, "parts") as never });
      for (const other of spoiled(call, bad)) {
        await hooks["tool.execute.before"]!(other as never, other as never);
        await hooks["tool.execute.after"]!(other as never, other as never);
      }
      for (const other of spoiled({ command: "advisor", sessionID: "s1", arguments: "status" }, bad)) await answered(recorder, hooks["command.execute.before"]!(other as never, other as never));
      const tool = hooks.tool!["consult_advisor"]!;
      for (const other of spoiled({ question: "?", sessionID: "s1" }, bad)) await answered(recorder, tool.execute(other as never, other as never));
      for (const other of spoiled({ command: { a: 1 }, provider: { p: { options: {} } } }, bad)) await hooks.config!(other as never);
      await heard(recorder, async () => {
        await hooks.event!({ event: { type: "session.created", properties: { info: { id: "sane", title: "t" } } } as never });
        for (const type of ["busy", "idle"]) await hooks.event!({ event: { type: "session.status", properties: { sessionID: "sane", status: { type } } } as never });
      });
      await host.close();
    });

    test("in what V1's methods answer", async () => {
      const info = { id: "s1", title: "t (fork #1)", time: { created: 1, updated: 1 } };
      const messages = kinds("opencode-v1", ({ k, v }) => (k === "messages" && Array.isArray(v) ? k : undefined))[0] as unknown[];
      const good = [info, [info], messages.slice(0, 2), [{ path: "a", status: "modified", added: 1 }], { providers: [{ id: "p", models: { m: { cost: { input: 1, output: 2 } } } }] }, [{ name: "build", prompt: "x" }], { info: {}, parts: [{ type: "text", text: "x" }] }];
      const all = good.flatMap((answer) => [...spoiled({ data: answer }, bad)]);
      let n = 0;
      const method = async () => all[n++ % all.length];
      const group = new Proxy({}, { get: () => method });
      const client = new Proxy({}, { get: (_, key) => (key === "postSessionIdPermissionsPermissionId" ? method : key === "_client" ? { post: method } : group) }) as unknown as V1Client;
      for (let round = 0; round < 5; round++) {
        forgetProcess();
        const recorder = new Recorder();
        const host = new V1Host(client, recorder.deps);
        host.start();
        await settle();
        await host.hooks.event!({ event: { type: "session.status", properties: { sessionID: "s1", status: { type: "busy" } } } as never });
        await host.hooks.event!({ event: { type: "permission.asked", properties: { id: "per_1", sessionID: "s1", permission: "bash" } } as never });
        await errandsEnd(recorder);
        await host.close();
      }
    });

    test("in V2's events and hooks", async () => {
      const recorder = new Recorder();
      const registered: Record<string, ((...args: unknown[]) => Promise<unknown>)[]> = { tool: [], command: [], judge: [] };
      const editor = (kind: string) => ({ add: (definition: object) => void registered[kind]!.push((definition as { execute: () => Promise<unknown> }).execute) });
      const context = {
        location: { directory: "/project" },
        event: { subscribe: () => nothing() },
        session: { get: async () => ({ id: "s1", location: { directory: "/project" } }), synthetic: async () => ({}) },
        tool: { transform: async (change: (editor: object) => void) => change(editor("tool")) },
        command: { transform: async (change: (editor: object) => void) => change(editor("command")) },
        permission: { hook: async (_: string, judge: (event: unknown) => Promise<void>) => void registered["judge"]!.push(judge as never) },
      } as unknown as V2Context;
      const host = new V2Host(context, "/project", recorder.deps);
      host.start();
      await settle();
      const lines = kinds("opencode-v2", ({ k, v }) => (k === "event" ? field(v, "type") : undefined));
      assert.ok(lines.length > 10);
      for (const event of lines) for (const other of spoiled(event, bad)) host.hear(other);
      const hook = { sessionID: "s1", agent: "build", action: "bash", effect: "ask", resources: ["ls"], metadata: { command: "ls" }, source: { a: 1 }, prompt: { text: "status" }, question: "?" };
      for (const other of spoiled(hook, bad)) for (const execute of Object.values(registered).flat()) await answered(recorder, execute(other, other));
      await heard(recorder, async () => {
        const durable = (seq: number) => ({ location: { directory: "/project" }, durable: { aggregateID: "sane", seq } });
        host.hear({ type: "session.created", data: { sessionID: "sane", info: { id: "sane" } }, ...durable(0) });
        host.hear({ type: "session.execution.started", data: { sessionID: "sane" }, ...durable(1) });
        host.hear({ type: "session.execution.succeeded", data: { sessionID: "sane" }, ...durable(2) });
      });
      await host.close();
    });

    test("in what V2's methods answer", async () => {
      const messages = kinds("opencode-v2", ({ k }) => (k === "context" ? k : undefined))[0] as unknown[];
      const good = [messages.slice(0, 3), { info: { id: "s1", location: { directory: "/project" }, time: { created: 1 } } }, [{ file: "a", status: "modified", additions: 1 }], { provider: { id: "p", settings: { baseURL: "u" } } }, { text: "x" }];
      const all = good.flatMap((answer) => [...spoiled({ data: answer }, bad)]);
      let n = 0;
      const method = async () => all[n++ % all.length];
      const group = new Proxy({}, { get: (_, key) => (key === "subscribe" ? () => nothing() : method) });
      const context = new Proxy({}, { get: (_, key) => (key === "location" ? { directory: "/project" } : key === "options" ? {} : group), has: () => true });
      for (let round = 0; round < 5; round++) {
        forgetProcess();
        const recorder = new Recorder();
        const host = new V2Host(context, "/project", recorder.deps);
        host.start();
        await settle();
        host.hear({ type: "session.created", data: { sessionID: "s1", info: { id: "s1" } }, location: { directory: "/project" }, durable: { aggregateID: "s1", seq: 0 } });
        await errandsEnd(recorder);
        await host.close();
      }
    });

    test("in pi's events", async () => {
      const recorder = new Recorder({ consultModel: "p/strong" });
      const pi = new Pi("sane");
      extension(() => recorder.deps)(pi.api);
      await pi.emit("session_start", { reason: "startup" });
      await settle();
      const lines = kinds("pi", ({ k, v }) => (k === "event" ? field(v, "name") : undefined)) as { name: string; payload: object }[];
      assert.ok(lines.length > 10);
      for (const { name, payload } of lines) {
        if (name.startsWith("session_s")) continue;
        for (const other of spoiled(payload, bad)) {
          const returned = pi.raw(name, other);
          if (name === "tool_call") await settle();
          recorder.effect(...recorder.of("permission").map(({ call }) => ({ type: "decision", call, session: "sane", effect: "allow" }) as const));
          await returned;
        }
      }
      for (const other of spoiled({ question: "?" }, bad)) await answered(recorder, pi.tools.get("advisor")!.execute("c", other, other as never));
      await heard(recorder, async () => {
        await pi.emit("agent_start");
        await pi.emit("agent_end", { messages: [{ role: "assistant", stopReason: "stop" }] });
      });
      await pi.end();
    });

    test("in what pi's methods answer", async () => {
      const entries = kinds("pi", ({ k }) => (k === "entries" ? k : undefined))[0] as unknown[];
      const model = { id: "m", provider: "p", api: "openai-completions", baseUrl: "u", cost: { input: 1, output: 1 } };
      for (const [branch, models] of zip([...spoiled(entries.slice(0, 4), bad)], [...spoiled([model], bad)])) {
        forgetProcess();
        const recorder = new Recorder({ consultModel: "p/strong" });
        const pi = new Pi("s1");
        pi.branch = branch as unknown[];
        pi.header = branch as never;
        pi.models = models as never;
        pi.registry = { getApiKeyAndHeaders: async () => branch as never };
        extension(() => recorder.deps)(pi.api);
        await pi.emit("session_start", { reason: "startup" });
        await settle();
        await errandsEnd(recorder);
        await pi.end();
      }
    });
  });
}

/** A field of what may be anything. */
function field_(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

async function* nothing(): AsyncGenerator<unknown> {}

/** As long as the longer of both. */
function zip<A, B>(a: A[], b: B[]): [A, B][] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at % a.length]!, b[at % b.length]!]);
}

/** What the host waits for, once the guest has answered all that was asked. */
async function answered(recorder: Recorder, waits: Promise<unknown>): Promise<void> {
  const outcome = waits.catch((error: unknown) => error);
  await settle();
  for (const event of recorder.events.splice(0)) {
    if (event.type === "permission") recorder.effect({ type: "decision", call: event.call, session: "s1", effect: "allow" });
    else if (event.type === "command" || event.type === "consult") recorder.effect({ type: "answer", call: event.call, session: "s1", text: "x" });
  }
  assert.ok(!((await outcome) instanceof Error), String(await outcome));
}

/** Each errand ends with something told, whatever the host gave. */
async function errandsEnd(recorder: Recorder): Promise<void> {
  for (const [effect, type] of errands) {
    recorder.effect(effect);
    await awake(recorder.until(() => recorder.events.some((event) => event.type === type)));
  }
  JSON.stringify(recorder.events);
}

/** A session without fault is heard to its end, and all that was told can be written. */
async function heard(recorder: Recorder, say: () => Promise<void>): Promise<void> {
  await say();
  await awake(recorder.until(() => recorder.of("turn_end").some(({ session }) => session === "sane")));
  JSON.stringify(recorder.events);
}
