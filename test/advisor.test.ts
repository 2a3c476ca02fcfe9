import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Advisor } from "../host/advisor.ts";
import type { Host } from "../host/errands.ts";
import type { Event } from "../host/protocol.gen.ts";
import type { Spawn } from "../host/thread.ts";
import { BenchHost, forgetProcess } from "./bench-host.ts";
import { type Manner, readyEffect, writeGuest } from "./fake-guest.ts";
import { Needs, provide } from "../host/need.ts";
import { Recorder } from "./recorder.ts";
import { scratch } from "./scratch.ts";

const short = { hostMs: 200, readyMs: 30, closeMs: 200 };
/** For a guest that hangs; the others have all the time that they need. */
const strict = { callMs: 60, graceMs: 60 };
const step: Event & { session: string } = { type: "step_end", session: "s1" };

const hosts: BenchHost[] = [];

function hostOf(manner: Manner, first?: object, deadlines: object = short): BenchHost {
  const host = new BenchHost(writeGuest(scratch(), manner, first), deadlines);
  hosts.push(host);
  return host;
}

async function started(manner: Manner, first?: object, strict = {}): Promise<BenchHost> {
  const host = hostOf(manner, first);
  host.strict = strict;
  host.advisor.start();
  await host.isReady;
  return host;
}

function outcome(...effects: object[]): Manner {
  return { kind: "answer", outcome: JSON.stringify({ effects }) };
}

// Neither the worker nor the advisor's timers keep a process alive.
let alive: NodeJS.Timeout;
before(() => (alive = setInterval(() => {}, 60_000)));
after(() => clearInterval(alive));

beforeEach(forgetProcess);
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.advisor.close()));
});

describe("a guest that works", () => {
  test("is asked at a step's end, and its effects are performed in order", async () => {
    const deliver = { type: "deliver", session: "s1", id: "msg_1", wake: false, text: "t", severity: "nit", description: "d" };
    const host = await started(outcome(deliver, { ...deliver, id: "msg_2" }));
    host.say({ type: "text", session: "s1", text: "not yet" });
    assert.deepEqual(host.delivered, []);
    host.say(step);
    await host.until(() => host.delivered.length >= 2);
    assert.deepEqual(host.delivered.slice(0, 2).map(({ id }) => id), ["msg_1", "msg_2"]);
  });

  test("hears of events without a step's end too, a little later", async () => {
    const host = await started(outcome({ type: "notice", key: "heard", variant: "info", text: "heard" }));
    host.say({ type: "text", session: "s1", text: "alone" });
    await host.until(() => host.notices.length > 0);
  });

  test("is not sent what it asked to ignore", async () => {
    const host = await started(outcome({ type: "ignore", session: "s1", reason: "child" }));
    host.say(step);
    await host.until(() => !host.advisor.wants("s1"));
    assert.equal(host.advisor.wants("s2"), true);
  });

  test("shows a notice once, though it gives it twice", async () => {
    const host = await started(outcome({ type: "notice", key: "k", variant: "info", text: "1" }, { type: "notice", key: "k", variant: "info", text: "2" }, { type: "notice", key: "l", variant: "info", text: "3" }));
    host.say(step);
    await host.until(() => host.notices.length >= 2);
    assert.deepEqual(host.notices.map(({ text }) => text), ["1", "3"]);
  });

  test("shows its notice though another project of the process has shown the same", async () => {
    const notice = { type: "notice", key: "config", variant: "warning", text: "watchdogModel is not known" };
    const deliver = { type: "deliver", session: "s1", id: "msg_1", wake: false, text: "t", severity: "nit", description: "d" };
    for (let i = 0; i < 2; i++) {
      const host = await started(outcome(notice, deliver));
      host.say(step);
      await host.until(() => host.delivered.length > 0);
      assert.equal(host.notices.length, 1);
    }
  });

  test("that never becomes ready is told, and let go", async () => {
    const host = hostOf(outcome(), { type: "log", level: "info", text: "still thinking" }, { ...short, initMs: 50 });
    host.advisor.start();
    await host.until(() => host.notices.length > 0);
    assert.match(host.notices[0]!.text, /The advisor is off: its guest was not ready within 50 ms/);
    assert.equal(host.advisor.wants("s1"), false);
  });

  test("is handed options that it can read, however a project nests them", async () => {
    let options: unknown = 1;
    for (let i = 0; i < 100_000; i++) options = [options];
    const recorder = new Recorder();
    let handed: unknown;
    const spawn: Spawn = (setup, ...rest) => {
      handed = structuredClone(setup.init.options);
      return recorder.deps.spawn(setup, ...rest);
    };
    const advisor = new Advisor({} as Host, { ...recorder.deps, init: { ...recorder.deps.init, options: { enabled: false, options } }, spawn });
    advisor.start();
    assert.equal(advisor.wants("s1"), true);
    assert.equal((handed as { enabled: boolean }).enabled, false);
    assert.ok(JSON.stringify(handed).length < 200);
    await advisor.close();
  });

  test("that is switched off is let go", async () => {
    const host = hostOf(outcome(), { ...readyEffect, enabled: false });
    host.advisor.start();
    await host.isReady;
    assert.equal(host.advisor.wants("s1"), false);
    assert.equal(host.notices.length, 0);
  });

  test("answers a consultation, and a permission ask", async () => {
    const host = await started(outcome({ type: "answer", call: "c1", text: "measure first" }, { type: "decision", call: "p1", session: "s1", effect: "deny", message: "no" }));
    assert.deepEqual(await host.advisor.consult({ session: "s1", call: "c1", question: "?" }), { text: "measure first" });
    assert.deepEqual(await host.advisor.permission({ session: "s1", call: "p1", action: "bash" }), { effect: "deny", message: "no" });
  });
});

describe("the host never waits", () => {
  test("for a consultation beyond its deadline", async () => {
    const host = await started(outcome(), { ...readyEffect, consultTimeoutMs: 30 });
    const answer = await host.advisor.consult({ session: "s1", call: "c1" });
    assert.equal(answer.failed, true);
    assert.match(answer.text, /did not answer within/);
  });

  test("for a consultation that it has given up", async () => {
    const host = await started(outcome(), { ...readyEffect, consultTimeoutMs: 60_000 });
    const abort = new AbortController();
    const answer = host.advisor.consult({ session: "s1", call: "c1" }, abort.signal);
    abort.abort();
    assert.equal((await answer).failed, true);
  });

  test("for a permission ask beyond its deadline: the person is asked", async () => {
    const host = await started(outcome(), { ...readyEffect, judgeTimeoutMs: 30 });
    assert.deepEqual(await host.advisor.permission({ session: "s1", call: "p1", action: "bash" }), { effect: "ask", message: "The judge did not answer within 30 ms." });
  });

  test("for a permission ask whose deadline went by before it came here", async () => {
    const host = await started(outcome(), { ...readyEffect, judgeTimeoutMs: 600_000 });
    const { effect } = await host.advisor.permission({ session: "s1", call: "p1", action: "bash" }, Date.now() - 600_000);
    assert.equal(effect, "ask");
  });

  test("for a permission ask once the guest is gone: the person is asked", async () => {
    const host = await started(outcome());
    await host.advisor.close();
    assert.equal((await host.advisor.permission({ session: "s1", call: "p1", action: "bash" })).effect, "ask");
  });

  test("for anything before the guest is ready", async () => {
    const host = hostOf(outcome());
    assert.deepEqual(await host.advisor.permission({ session: "s1", call: "p", action: "bash" }), { effect: "none" });
    assert.equal((await host.advisor.consult({ session: "s1", call: "c" })).failed, true);
    assert.match((await host.advisor.command({ call: "c", name: "advisor" })).text, /still starting/);
  });

  test("but for a moment, when a command comes before the guest is ready", async () => {
    const host = hostOf(outcome({ type: "answer", call: "c", text: "all is well" }), undefined, { ...short, readyMs: 20_000, hostMs: 5_000 });
    const answer = host.advisor.command({ call: "c", name: "advisor" });
    host.advisor.start();
    await host.isReady;
    assert.deepEqual(await answer, { text: "all is well" });
  });

  test("for the end of a guest that hangs", async () => {
    const host = await started({ kind: "spin" });
    host.say(step);
    const before = performance.now();
    await host.advisor.close();
    assert.ok(performance.now() - before < 2 * short.closeMs + 200);
  });
});

describe("a guest that fails", () => {
  test("by a trap is replaced within its worker, and told that something is missing", async () => {
    const host = await started({ kind: "trap" });
    host.say(step);
    await host.until(() => log(host).includes("the guest was lost"));
    assert.equal(host.spawned, 1);
    assert.equal(host.advisor.wants("s1"), true);
    assert.equal(host.notices.length, 0, "one loss is nobody's trouble");
  });

  test("again and again is switched off with one notice", async () => {
    const host = await started({ kind: "trap" });
    while (host.advisor.wants("s1")) {
      host.say(step);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await host.until(() => host.notices.length > 0);
    assert.deepEqual(host.notices.map(({ key, variant }) => ({ key, variant })), [{ key: "off", variant: "error" }]);
    assert.match(host.notices[0]!.text, /^The advisor is off: the guest failed 6 times within 10 minutes/);
  });

  const nonsense: [string, string][] = [
    ["no JSON", "hello"],
    ["half of an outcome", '{"effects":[{"type":"no'],
    ["no list of effects", '{"effects":{"type":"notice"}}'],
    ["an effect that is null", '{"effects":[null]}'],
    ["an effect without a type", '{"effects":[{"key":"x"}]}'],
    ["nothing", ""],
    ["null bytes", "\0\0\0"],
  ];
  for (const [title, text] of nonsense) {
    test(`by talking nonsense is replaced: ${title}`, async () => {
      const host = await started({ kind: "answer", outcome: text });
      host.say(step);
      await host.until(() => log(host).includes("the guest was lost"));
      assert.deepEqual(host.delivered, []);
      assert.equal(host.advisor.wants("s1"), true);
    });
  }

  test("an effect that nobody knows is left out, the others are performed", async () => {
    const host = await started(outcome({ type: "format_disk" }, { type: "notice", key: "k", variant: "info", text: "still here" }));
    host.say(step);
    await host.until(() => host.notices.length > 0);
    assert.deepEqual(host.notices.map(({ text }) => text), ["still here"]);
    assert.match(log(host), /the guest asks for format_disk, which is not known here; ignored/);
  });

  test("by not coming back, but asking whether it should, is stopped in its worker", async () => {
    const host = await started({ kind: "ask" }, undefined, { ...strict, graceMs: 30_000 });
    host.say(step);
    await host.until(() => log(host).includes("past its deadline"));
    assert.equal(host.spawned, 1);
    assert.equal(host.advisor.wants("s1"), true);
  });

  test("by not coming back at all costs its worker, and the second time the advisor", async () => {
    const host = await started({ kind: "spin" }, undefined, strict);
    host.say(step);
    await host.until(() => host.readies === 2);
    assert.equal(host.spawned, 2);
    assert.equal(host.notices.length, 0);
    assert.equal(host.advisor.wants("s1"), true);
    host.say(step);
    await host.until(() => host.notices.length > 0);
    assert.match(host.notices[0]!.text, /^The advisor is off: its guest hangs/);
    assert.equal(host.advisor.wants("s1"), false);
    const next = hostOf(outcome());
    next.advisor.start();
    assert.equal(next.advisor.wants("s1"), false, "no further worker in this process");
    assert.equal(next.spawned, 0);
  });

  test("that is only slow is let be", async () => {
    const host = await started({ kind: "busy", ms: 300 });
    host.say(step);
    host.say(step);
    await host.advisor.close();
    assert.equal(host.spawned, 1);
    assert.doesNotMatch(log(host), /lost/);
  });
});

describe("a guest that does not fit", () => {
  test("by its version is not started, and the notice names both", async () => {
    const host = hostOf({ kind: "version" });
    host.advisor.start();
    await host.until(() => host.notices.length > 0);
    assert.match(host.notices[0]!.text, /speaks version 99 of the wire, this loader version 1; reinstall opencode-superadvisor/);
  });

  test("by an import that nobody gives is not started, and the notice names it", async () => {
    const host = hostOf({ kind: "greedy" });
    host.advisor.start();
    await host.until(() => host.notices.length > 0);
    assert.match(host.notices[0]!.text, /it wants superadvisor\.exec, which this loader does not give/);
  });

  const files: [string, (file: string) => void][] = [
    ["missing", () => {}],
    ["empty", (file) => fs.writeFileSync(file, "")],
    ["no module", (file) => fs.writeFileSync(file, "hello")],
  ];
  for (const [title, make] of files) {
    test(`its file is ${title}: one notice`, async () => {
      const file = path.join(scratch(), "guest.wasm");
      make(file);
      const host = new BenchHost(file, short);
      hosts.push(host);
      host.advisor.start();
      await host.until(() => host.notices.length > 0);
      assert.match(host.notices[0]!.text, /^The advisor is off: /);
      assert.equal(host.advisor.wants("s1"), false);
    });
  }
});

describe("a worker", () => {
  test("that is killed is one notice, and the session goes on", async () => {
    const host = hostOf(outcome());
    host.script = new URL("dead.entry.js", import.meta.url);
    host.advisor.start();
    host.say(step);
    await host.until(() => host.notices.length > 0);
    assert.deepEqual(host.notices.map(({ text }) => text), ["The advisor is off: its worker ended: it exited with code 3. The session goes on without it."]);
    host.say(step);
    assert.equal(host.advisor.wants("s1"), false);
  });

  test("compiles the module itself when this thread cannot hand it over", async () => {
    const { compile } = WebAssembly;
    WebAssembly.compile = async () => (() => {}) as unknown as WebAssembly.Module; // which cannot be cloned
    try {
      await started(outcome());
    } finally {
      WebAssembly.compile = compile;
    }
  });

  test("that takes over has the module that was compiled for the first", async () => {
    const { compile } = WebAssembly;
    let compiled = 0;
    WebAssembly.compile = (bytes) => (compiled++, compile(bytes));
    try {
      const host = await started({ kind: "spin" }, undefined, strict);
      host.say(step);
      await host.until(() => host.readies === 2);
      assert.equal(compiled, 1);
    } finally {
      WebAssembly.compile = compile;
    }
  });

  test("whose script is missing is one notice too", async () => {
    const host = hostOf(outcome());
    host.script = new URL("missing.js", import.meta.url);
    host.advisor.start();
    await host.until(() => host.notices.length > 0);
    assert.match(host.notices[0]!.text, /^The advisor is off: its worker /);
  });

  for (const [title, manner, until] of [
    ["works", outcome(), "ready"],
    ["hangs", { kind: "spin" }, "off"],
  ] as const) {
    test(`keeps no process alive that wants to end, though its guest ${title}`, async () => {
      assert.deepEqual(await run("host-process.entry.js", writeGuest(scratch(), manner), scratch(), until), { exitCode: 0, signal: null });
    });
  }
});

describe("what a guest may have of the outside", () => {
  const need = (...files: string[]) => ({ type: "need", id: "n1", files, env: ["SUPERADVISOR_TEST"], providers: ["fake"] });

  test("it names before it is ready", async () => {
    process.env["SUPERADVISOR_TEST"] = "v";
    const config = path.join(scratch(), "advisor.json");
    fs.writeFileSync(config, "{}");
    const host = hostOf(outcome(readyEffect), need(config));
    host.advisor.start();
    await host.isReady;
    assert.deepEqual(host.asked, ["fake"]);
  });

  test("it gets nothing of after that", async () => {
    const host = await started(outcome(need("/etc/hostname")));
    host.say(step);
    await host.until(() => log(host).includes("a need after ready was refused"));
    assert.deepEqual(host.asked, []);
  });

  test("but for the person's own rules", async () => {
    const folder = scratch();
    fs.mkdirSync(path.join(folder, "notes"));
    for (const name of ["WATCHDOG.md", "notes/a.md", "advisor.json"]) fs.writeFileSync(path.join(folder, name), name);
    const needs = new Needs(undefined, folder);
    needs.seal([]);
    const within = (name: string) => path.join(folder, name);
    const asked = ["WATCHDOG.md", "notes/a.md"].map(within);
    const refused = [within("advisor.json"), `${folder}/notes/../../x.md`, `${folder}/../x.md`, `${folder}-more/x.md`, "/etc/hostname", "WATCHDOG.md", folder];
    const admitted = needs.admit({ type: "need", id: "n1", files: [...asked, ...refused], env: ["HOME"], providers: ["fake"] });
    assert.deepEqual(admitted, { type: "need", id: "n1", files: asked, env: [], providers: [] });
    const given = provide({ type: "need", id: "n1", files: [...asked, ...refused] }, admitted, []).files ?? [];
    assert.deepEqual(given.map((file) => file.text ?? file.failure), ["WATCHDOG.md", "notes/a.md", ...refused.map(() => "refused by the loader")]);
  });

  test("a second ready changes nothing", async () => {
    const host = await started(outcome({ ...readyEffect, origins: ["http://evil.test"] }));
    host.say(step);
    await host.until(() => log(host).includes("a second ready was ignored"));
    assert.deepEqual(host.advisor.ready?.origins, readyEffect.origins);
  });
});

describe("a state folder that cannot be written", () => {
  test("is one notice that names it", async () => {
    const file = path.join(scratch(), "file");
    fs.writeFileSync(file, "");
    const host = new BenchHost(writeGuest(scratch(), outcome()), short, path.join(file, "state"));
    hosts.push(host);
    host.advisor.start();
    await host.isReady;
    await host.until(() => host.notices.length > 0);
    assert.equal(host.notices.length, 1);
    assert.match(host.notices[0]!.text, /cannot write its folder .*opencode-superadvisor .*will not wake the agent/);
    assert.equal(host.advisor.wants("s1"), true);
  });
});

function run(script: string, ...args: string[]): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], { stdio: "inherit", timeout: 20_000 });
    child.on("error", reject);
    child.on("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

function log(host: BenchHost): string {
  const file = path.join(host.state, "opencode-superadvisor", "logs", "advisor.log");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}
