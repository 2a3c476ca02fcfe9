// What the plugin costs the host's thread. Figures are printed; they depend on the machine
// and fail nothing. What must hold on any machine is asserted.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { after, beforeEach, describe, test } from "node:test";
import type { Deps } from "../host/advisor.ts";
import { spawnWorker } from "../host/thread.ts";
import { type V1Client, V1Host } from "../host/opencode/v1.ts";
import { V2Host } from "../host/opencode/v2.ts";
import type { V2Context } from "../host/opencode/v2-types.ts";
import { forgetProcess, workerScript } from "./bench-host.ts";
import { writeGuest } from "./fake-guest.ts";
import { scratch } from "./scratch.ts";

declare const PROJECT_ROOT: string;

const runtime = "Bun" in globalThis ? "bun" : "node";
const lines = "const x = 1 // a line of code, of which there are many\n".repeat(1900); // about 100 KB
const turns = 400;
const closing: (() => Promise<void>)[] = [];

beforeEach(forgetProcess);
after(() => Promise.all(closing.map((close) => close())));

function deps(directory: string): Deps {
  return {
    init: { version: "0.0.0", host: "harness", hostVersion: "", directory, root: directory, home: directory, configHome: directory, dataHome: directory },
    state: scratch(),
    owner: "bench 1 1",
    wasm: writeGuest(scratch(), { kind: "busy", ms: 2000 }),
    spawn: spawnWorker(workerScript),
    deadlines: { closeMs: 1 },
  };
}

class Figures {
  private readonly samples: number[] = [];

  time(act: () => void): void {
    const before = performance.now();
    act();
    this.samples.push(performance.now() - before);
  }

  report(title: string): void {
    const at = percentiles(this.samples);
    console.log(`# ${runtime}: ${title}: ${this.samples.length} times, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (wanted: p99 below 0.2 ms)`);
  }
}

/**
 * What the machine itself adds: sums that allocate nothing and wait for nothing, timed at
 * the same moments as the handlers. Where these have a long tail, so has everything.
 */
class Noise {
  private readonly samples: number[] = [];
  private sum = 0;

  sample(): void {
    const before = performance.now();
    for (let i = 0; i < 10_000; i++) this.sum = (this.sum + i) | 0;
    this.samples.push(performance.now() - before);
  }

  report(): void {
    const at = percentiles(this.samples);
    console.log(`# ${runtime}: 10,000 additions at the same moments: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (the machine's own part)`);
  }
}

function percentiles(samples: number[]): (share: number) => string {
  const sorted = samples.toSorted((a, b) => a - b);
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(4);
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A tool's output as a host has it: in one piece, where one that was put together here would be copied when it is first read. */
const output = (i: number) => Buffer.from(`${i} ${lines}`).toString();

/** Lets a turn of the event loop pass, as there is one between a host's events. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a handler on the host's thread, while the guest is busy for two seconds at a time", () => {
  test("OpenCode V2", async () => {
    const directory = scratch();
    const host = new V2Host({ location: { directory }, event: { subscribe: () => silence() }, session: { get: async () => ({}), synthetic: async () => ({}) } }, directory, deps(directory));
    closing.push(() => host.close());
    host.start();
    await until(() => host.advisor.ready !== undefined);
    const figures = new Figures();
    const posts = new Figures();
    const noise = new Noise();
    let seq = 0;
    const hear = (type: string, data: object) => {
      const event = { id: "evt", created: 1, type, location: { directory }, durable: { aggregateID: "s1", seq: seq++ }, data: { sessionID: "s1", ...data } };
      figures.time(() => host.hear(event));
      noise.sample();
    };
    hear("session.created", { location: { directory } });
    for (let i = 0; i < turns; i++) {
      const call = { assistantMessageID: `m${i}`, callID: `c${i}` };
      hear("session.tool.input.started", { ...call, name: "read" });
      hear("session.tool.called", { ...call, input: { filePath: "a.ts" } });
      hear("session.tool.success", { ...call, structured: {}, content: [{ type: "text", text: output(i) }] });
      hear("session.text.ended", { ...call, text: "Done." });
      hear("session.step.ended", { ...call, finish: "tool-calls", tokens: { input: 1 } });
      posts.time(() => host.advisor.flush()); // what runs by itself as soon as the host's call is over
      await turn();
    }
    figures.report("OpenCode V2, an event, with 100 KB of tool output a step");
    posts.report("OpenCode V2, posting a step to the worker");
    noise.report();
    assert.equal(host.advisor.wants("s1"), true, "a slow guest is no failure");
  });

  test("OpenCode V1", async () => {
    const directory = scratch();
    const host = new V1Host({ session: { get: async () => ({ data: {} }) } } as unknown as V1Client, deps(directory));
    closing.push(() => host.close());
    host.start();
    await until(() => host.advisor.ready !== undefined);
    const figures = new Figures();
    const posts = new Figures();
    const noise = new Noise();
    const hear = (type: string, properties: object) => {
      figures.time(() => void host.hooks.event!({ event: { type, properties } as never }));
      noise.sample();
    };
    hear("session.created", { info: { id: "s1" } });
    for (let i = 0; i < turns; i++) {
      const info = { id: `m${i}`, sessionID: "s1", role: "assistant" };
      const part = { messageID: info.id, sessionID: "s1" };
      hear("message.updated", { info });
      hear("message.part.updated", { part: { ...part, id: `t${i}`, type: "tool", tool: "read", callID: `c${i}`, state: { status: "completed", input: { filePath: "a.ts" }, output: output(i), metadata: {} } } });
      hear("message.part.updated", { part: { ...part, id: `f${i}`, type: "step-finish", reason: "tool-calls", tokens: { input: 1 } } });
      hear("message.updated", { info: { ...info, time: { completed: 1 } } });
      posts.time(() => host.advisor.flush());
      await turn();
    }
    figures.report("OpenCode V1, an event, with 100 KB of tool output a step");
    posts.report("OpenCode V1, posting a step to the worker");
    noise.report();
    assert.equal(host.advisor.wants("s1"), true, "a slow guest is no failure");
  });
});

test("setup returns at once, and the guest is ready soon after", async () => {
  const dist = path.join(PROJECT_ROOT, "dist");
  assert.ok(fs.existsSync(path.join(dist, "superadvisor.wasm")), "dist/superadvisor.wasm is missing: run npm run build");
  process.env["XDG_STATE_HOME"] = scratch();
  process.env["XDG_CONFIG_HOME"] = scratch();
  const before = performance.now();
  const plugin = ((await import(pathToFileURL(path.join(dist, "plugin.js")).href)) as { default: { setup(context: V2Context): () => Promise<void> } }).default;
  const loaded = performance.now();
  let registered: () => void;
  const ready = new Promise<void>((resolve) => (registered = resolve));
  const directory = scratch();
  const cleanup = plugin.setup({
    location: { directory },
    // No call of a model is made: the key is for an address that nobody asks.
    options: { watchdogModel: "fake/m", provider: { baseURL: "http://127.0.0.1:9/v1", apiKey: "sk-test" } },
    event: { subscribe: () => silence() },
    session: { get: async () => ({}), synthetic: async () => ({}) },
    tool: {
      transform: async () => {
        registered();
        return {};
      },
    },
  });
  const returned = performance.now();
  const alive = setInterval(() => {}, 1000);
  await ready;
  const answered = performance.now();
  clearInterval(alive);
  console.log(`# ${runtime}: import ${(loaded - before).toFixed(1)} ms, setup ${(returned - loaded).toFixed(1)} ms (wanted: below 20 ms), guest ready after ${(answered - returned).toFixed(0)} ms (wanted: below 500 ms)`);
  await cleanup();
});

async function* silence(): AsyncGenerator<never> {
  await new Promise(() => {});
}
