// The program superadvisor as it is shipped: dist/cli.js in a process of its own, on real files, run by what runs this test.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Tried } from "../host/protocol.gen.ts";
import { processOwner, Store } from "../host/store.ts";
import { Trial } from "../host/trial.ts";
import { BenchHost, forgetProcess } from "./bench-host.ts";
import { writeGuest } from "./fake-guest.ts";
import { type Answer, ModelServer } from "./model-server.ts";
import { scratch } from "./scratch.ts";

declare const PROJECT_ROOT: string;

const script = path.join(PROJECT_ROOT, "dist", "cli.js");

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** A home with a project in it. */
class Person {
  readonly home = scratch();
  readonly project = this.folder("project");
  readonly state = path.join(this.home, ".local", "state", "opencode-superadvisor");

  folder(...names: string[]): string {
    const folder = path.join(this.home, ...names);
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env["PATH"], HOME: this.home, TERM: "xterm" };
  }

  run(args: string[], over: { cwd?: string; uid?: number; env?: NodeJS.ProcessEnv } = {}): Ended {
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [script, ...args], { cwd: this.project, env: this.env, encoding: "utf8", ...over });
    if (error) throw error;
    return { code: status, out: stdout, err: stderr };
  }

  /** Without holding up this process, in which a server may be asked. */
  async start(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const child = spawn(process.execPath, [script, ...args], { cwd: this.project, env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const ended: Ended = { code: null, out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => (ended.out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (ended.err += chunk.toString()));
    ended.code = await new Promise((resolve) => child.on("close", resolve));
    return ended;
  }

  /** A program of that name that behaves as test/fake-host.mjs says, and tells the observer of itself. */
  host(name: string, behaviour: string, observer: string): string {
    const file = path.join(this.folder("bin"), name);
    fs.writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${path.join(PROJECT_ROOT, "test", "fake-host.mjs")}" ${behaviour} ${observer} "$@"\n`, { mode: 0o755 });
    return file;
  }

  /** A session as the plugin stores it. */
  watched(session: string, notes: object[] = []): void {
    const store = new Store(this.state, "another process");
    const guard = { v: 1, told: [], ring: [] };
    assert.equal(store.save(session, { version: 1, session, directory: this.project, host: "opencode-v1", notes, guard, log: {} }), undefined);
  }
}

const note = { note: { id: "n_0123456789ab", severity: "blocker", text: "It crashes." }, fate: "delivered" };

interface Told {
  args?: string[];
  env?: Record<string, string>;
  folder?: string[];
  cwd?: string;
}

/** Hears what fake hosts tell of themselves. One that is not answered waits until it is ended. */
class Observer {
  readonly told: Told[] = [];
  answer: (told: Told, response: http.ServerResponse) => void = () => {};
  private open = 0;
  private readonly waiting: { done: () => boolean; resolve: () => void }[] = [];
  private readonly server = http.createServer((request, response) => {
    let text = "";
    this.open++;
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const told = JSON.parse(text) as Told;
      this.told.push(told);
      this.answer(told, response);
      this.look();
    });
    response.on("close", () => {
      this.open--;
      this.look();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Until so many have told of themselves. */
  heard(n: number): Promise<void> {
    return this.until(() => this.told.length >= n);
  }

  /** Until all of them are gone. */
  alone(): Promise<void> {
    return this.until(() => this.open === 0);
  }

  private until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ done, resolve });
      this.look();
    });
  }

  private look(): void {
    for (const entry of this.waiting.splice(0)) {
      if (entry.done()) entry.resolve();
      else this.waiting.push(entry);
    }
  }
}

/** Each command as it says something on the standard output. */
const commands = [
  ["status"],
  ["notes"],
  ["why", "n_0123456789ab"],
  ["log"],
  ["report", "--out", "-"],
  ["judge", "ls"],
  ["install", "--dry-run"],
  ["uninstall", "--dry-run"],
  ["doctor", "--offline", "--no-host"],
  ["bench", "--session", "go-notes", "--reviewer", "silent"],
  ["unmute"],
  ["mute"],
];

describe("superadvisor", () => {
  test("tells its version and its commands, without touching the disk", () => {
    const person = new Person();
    const { version } = JSON.parse(fs.readFileSync(path.join(PROJECT_ROOT, "package.json"), "utf8")) as { version: string };
    assert.deepEqual(person.run(["--version"]), { code: 0, out: `${version}\n`, err: "" });
    const help = person.run(["--help"]);
    assert.match(help.out, /^usage: superadvisor <command>/m);
    assert.deepEqual([help.code, help.err], [0, ""]);
    assert.deepEqual(person.run(["statsu"]), { code: 2, out: "", err: 'superadvisor: there is no command "statsu" (did you mean status?); see superadvisor --help\n' });
    assert.deepEqual(
      fs.readdirSync(person.home).filter((name) => name !== ".bun"), // Bun's own
      ["project"],
    );
  });

  test("tells of the session of a folder, and of the note in it", () => {
    const person = new Person();
    person.watched("ses_1", [note]);
    const below = person.folder("project", "src");
    const { code, out, err } = person.run(["status"], { cwd: below });
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, new RegExp(`^session: ses_1 in ${person.project}, last used \\d{4}-`));
    assert.deepEqual(person.run(["notes"]), { code: 0, out: "n_0123456789ab blocker (delivered) It crashes.\n", err: "" });
    assert.deepEqual(JSON.parse(person.run(["why", "n_0123456789ab", "--json"]).out), note);
    assert.equal(person.run(["why", "n_none"]).code, 1);
    assert.equal(person.run(["notes"], { cwd: person.home }).code, 1);
    assert.deepEqual(fs.readdirSync(path.join(person.state, "leases")), [], "reading takes no lease");
  });

  test("mutes a session without a word to its state or its lease", () => {
    const person = new Person();
    person.watched("ses_1");
    const host = new Store(person.state, processOwner());
    assert.equal(host.load("ses_1").reviewer, true);
    const before = JSON.stringify(host.load("ses_1").state);
    assert.deepEqual(person.run(["mute", "style"]), { code: 0, out: "Muted: style. superadvisor unmute style lifts it.\n", err: "" });
    assert.match(person.run(["status"]).out, /^muted categories: style$/m);
    assert.equal(JSON.stringify(host.load("ses_1").state), before);
    assert.equal(host.heed("ses_1", undefined, 0).text, '\n{"do":"mute","about":"style"}\n');
    host.close();
    assert.deepEqual(fs.readdirSync(path.join(person.state, "leases")), []);
    assert.equal(person.run(["unmute", "style"]).code, 0);
    assert.doesNotMatch(person.run(["status"]).out, /^muted/m);
    assert.equal(person.run(["unmute", "style"]).code, 1, "it is not muted any more");
  });

  test("ends in silence when nobody reads its output, whatever the command", async () => {
    const person = new Person();
    person.watched("ses_1", [note]);
    fs.writeFileSync(path.join(person.folder(".local", "state", "opencode-superadvisor", "logs"), "advisor.log"), "one\n");
    for (const args of [["--help"], ...commands]) {
      const child = spawn(process.execPath, [script, ...args], { cwd: person.project, env: person.env, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.destroy();
      let err = "";
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
      const code = await new Promise((resolve) => child.on("close", resolve));
      assert.deepEqual([args.join(" "), code, err], [args.join(" "), 141, ""]);
    }
  });

  test("refuses an option that a command does not have", () => {
    const person = new Person();
    for (const [name] of commands) {
      const { code, out, err } = person.run([name!, "--nonsense"]);
      assert.deepEqual([name, code, out], [name, 2, ""]);
      assert.equal(err, `superadvisor: there is no option "--nonsense"; see superadvisor ${name} --help\n`);
    }
  });

  test("looks at a disk that cannot be written, and says so where it has to write", () => {
    const person = new Person();
    person.watched("ses_1", [note]);
    const logs = person.folder(".local", "state", "opencode-superadvisor", "logs");
    fs.writeFileSync(path.join(logs, "advisor.log"), "one\n");
    const all = [person.home, ...fs.readdirSync(person.home, { recursive: true }).map((name) => path.join(person.home, String(name)))];
    for (const at of all) fs.chmodSync(at, fs.statSync(at).isDirectory() ? 0o555 : 0o444);
    const over = process.getuid?.() === 0 ? { uid: 65534 } : {};
    for (const [args, wanted] of [
      [["status"], undefined],
      [["notes"], undefined],
      [["why", "n_0123456789ab"], undefined],
      [["log"], undefined],
      [["report", "--out", "-"], undefined],
      [["bench", "--session", "go-notes", "--reviewer", "silent"], undefined],
      [["report"], /^superadvisor report: write superadvisor-report\.html: EACCES/],
      [["mute"], /^superadvisor mute: .*EACCES/],
      [["unmute"], /^superadvisor unmute: /],
      [["install"], /^superadvisor install: .*EACCES/],
    ] as const) {
      const { code, err } = person.run([...args], over);
      if (wanted) assert.match(err, wanted);
      assert.deepEqual([args.join(" "), code, wanted ? "" : err], [args.join(" "), wanted ? 1 : 0, ""]);
    }
    for (const at of all) fs.chmodSync(at, fs.statSync(at).isDirectory() ? 0o755 : 0o644);
  });

  test("has colours on no pipe", () => {
    assert.ok(!new Person().run(["--help"]).out.includes("\x1b"));
  });

  test("says which file it cannot read", () => {
    const person = new Person();
    person.watched("ses_1");
    const [file] = fs.readdirSync(path.join(person.state, "sessions"));
    const at = path.join(person.state, "sessions", file!);
    fs.writeFileSync(at, "{");
    const { code, err } = person.run(["notes"]);
    assert.equal(code, 1);
    assert.ok(err.includes(`${at} is left out`), err);
    assert.equal(fs.readFileSync(at, "utf8"), "{", "it is left as it is");
  });

  test("follows the log until it is interrupted", async () => {
    const person = new Person();
    const file = path.join(person.folder(".local", "state", "opencode-superadvisor", "logs"), "advisor.log");
    fs.writeFileSync(file, "one\ntwo\n");
    const child = spawn(process.execPath, [script, "log", "--follow", "--lines", "1"], { cwd: person.project, env: person.env, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    const reached = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => out.includes(text) && resolve();
        child.stdout.on("data", look);
        look();
      });
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    await reached("two\n");
    fs.appendFileSync(file, "three\n");
    await reached("three\n");
    child.kill("SIGINT");
    await new Promise((resolve) => child.on("close", resolve));
    assert.equal(out, "two\nthree\n");
  });
});

describe("superadvisor beside a running host", () => {
  const server = new ModelServer();
  before(() => server.start());
  after(() => server.stop());

  const note: Answer = { toolCalls: [{ name: "advise", args: { note: "Name the parameter id.", severity: "nit", verdict: "confirmed", category: "style" } }] };

  /** A host with the real module, on the person's state. */
  async function open(person: Person, settings: object = {}): Promise<BenchHost> {
    forgetProcess();
    const host = new BenchHost(path.join(PROJECT_ROOT, "dist", "superadvisor.wasm"), {}, path.dirname(person.state), person.project);
    const config = path.join(person.project, ".config", "opencode");
    fs.mkdirSync(config, { recursive: true });
    fs.writeFileSync(path.join(config, "advisor.json"), JSON.stringify({ watchdogModel: "test/reviewer", debounceMs: 0, provider: { baseURL: server.baseURL, apiKey: "sk-of-the-test" }, ...settings }));
    host.advisor.start();
    await host.isReady;
    return host;
  }
  let messages = 0;
  function step(host: BenchHost): void {
    const id = `m${++messages}`;
    host.say({ type: "user", session: "s1", id, text: "go on", typed: true, created: messages }, { type: "text", session: "s1", text: "working" }, { type: "step_end", session: "s1" });
  }
  interface Stored {
    muted?: boolean;
    mutedCategories?: string[];
    heard?: number;
    counts?: { name: string; n: number }[];
  }
  function stored(person: Person): Stored {
    const [file] = fs.readdirSync(path.join(person.state, "sessions")).filter((name) => name.endsWith(".json"));
    return file ? (JSON.parse(fs.readFileSync(path.join(person.state, "sessions", file), "utf8")) as Stored) : {};
  }
  const counted = (person: Person, name: string) => stored(person).counts?.find((count) => count.name === name)?.n ?? 0;

  test("mutes the very review that is under way, and each command shows what is", async () => {
    const person = new Person();
    const host = await open(person);
    server.answers.push({ text: "silent" });
    step(host);
    await host.until(() => counted(person, "review.silent") === 1);
    // The second process comes while the model is asked, and is done before the model answers.
    server.during = () => {
      assert.deepEqual(person.run(["mute", "style"]), { code: 0, out: "Muted: style. superadvisor unmute style lifts it.\n", err: "" });
      assert.match(person.run(["status"]).out, /^muted categories: style$/m);
      assert.equal(stored(person).mutedCategories, undefined, "the host's process writes its own state");
    };
    server.answers.push(note);
    step(host);
    await host.until(() => host.notices.some(({ text }) => text.startsWith("The program superadvisor was told about this session: Muted: style.")));
    await host.until(() => counted(person, "dropped.muted_category") === 1);
    assert.deepEqual(host.delivered, []);
    assert.deepEqual(stored(person).mutedCategories, ["style"]);
    assert.match(person.run(["notes"]).out, /^n_\w+ nit \(muted_category\) Name the parameter id\.$/m);
    assert.match(person.run(["why", /n_\w+/.exec(person.run(["notes"]).out)![0]]).out, /^fate: muted_category$/m);
    assert.match(person.run(["report", "--out", "-"]).out, /Name the parameter id/);

    assert.equal(person.run(["unmute", "style"]).code, 0);
    server.answers.push(note);
    step(host);
    await host.until(() => host.delivered.length === 1);
    await host.advisor.close();
    assert.equal(stored(person).mutedCategories, undefined);
  });

  test("tells of the folder what the host tells: rules, advisors, limits, and what the day has cost", async () => {
    const person = new Person();
    const config = person.folder("project", ".config", "opencode");
    for (const [file, text] of [
      [path.join(config, "WATCHDOG.md"), "mine"],
      [path.join(person.project, "WATCHDOG.md"), "@docs/db.md\n@docs/none.md\nthe project's"],
      [path.join(person.folder("project", "docs"), "db.md"), "imported"],
      [path.join(person.project, "AGENTS.md"), "context"],
      [path.join(person.project, "WATCHDOG.yml"), "advisors:\n  - name: migrations\n    on: [edits]\n"],
    ] as const) {
      fs.writeFileSync(file, text);
    }
    const advisors = [{ name: "security", model: "test/other", ceiling: "concern", on: ["edits", "failures"], paths: ["src/**"] }, { name: "tests" }];
    const host = await open(person, { advisors, contextFiles: ["AGENTS.md", "REVIEW.md"], maxCostPerDay: 5, maxTokensPerSession: 100_000 });
    // Another process has spent today, and at midnight it is tomorrow.
    const other = new Store(person.state, "another process");
    const days = new Set([0, 60_000].map((later) => new Date(Date.now() + later).toISOString().slice(0, 10)));
    for (const day of days) other.tally(day, "other 3 30000 900 0 0 1250000 0", 0);
    step(host);
    await host.until(() => counted(person, "advisor.tests.silent") === 1);
    const { text } = await host.advisor.command({ session: "s1", call: "k1", name: "advisor", text: "status" });
    const env = { ...person.env, HOME: person.project, XDG_STATE_HOME: path.dirname(person.state) };
    const all = () => fs.readdirSync(person.state, { recursive: true }).sort();
    const before = all();
    const { code, out, err } = person.run(["status"], { env });
    assert.deepEqual([code, err], [0, ""]);
    const [session, ...rest] = out.split("\n");
    assert.match(session!, /^session: s1 in /);
    assert.equal(rest.join("\n").trimEnd(), text);
    for (const line of [
      /^rules: WATCHDOG\.md \(your own\), docs\/db\.md, WATCHDOG\.md, AGENTS\.md$/m,
      /^rules: .*docs\/none\.md.* does not exist/m,
      /^rules: .*REVIEW\.md.* does not exist/m,
      /^advisor security: test\/other at http:.*; says a concern at most; asked about edits or failures in src\/\*\*; /m,
      /^advisor tests: test\/reviewer at /m,
      /^advisor migrations \(project\): test\/reviewer at .*; asked about edits; /m,
      /^limits: maxCostPerDay \(\$5\.00 for all sessions of a day, UTC\), maxTokensPerSession \(100000\)$/m,
      /^cost: .*, \$1\.2\d today \(UTC\) in all/m,
    ]) {
      assert.match(out, line);
    }
    const script = JSON.parse(person.run(["status", "--json"], { env }).out) as { session: string; now: Record<string, unknown> & { day: Record<string, unknown>; advisors: object[]; problems: string[] } };
    const { rules, advisors: [security], limits, day, problems } = script.now;
    assert.deepEqual(
      [script.session, rules, security, limits, (day["requests"] as number) >= 3, problems.length],
      [
        "s1",
        ["WATCHDOG.md (your own)", "docs/db.md", "WATCHDOG.md", "AGENTS.md"],
        { name: "security", model: "test/other", ceiling: "concern", on: ["edits", "failures"], paths: ["src/**"] },
        { maxCostPerDay: 5_000_000, maxTokensPerSession: 100_000 },
        true,
        2,
      ],
    );
    assert.deepEqual(all(), before, "looking changes nothing");
    await host.advisor.close();
    fs.rmSync(path.join(person.state, "ledgers"), { recursive: true });
    assert.equal(person.run(["status"], { env }).code, 0);
    assert.ok(!fs.existsSync(path.join(person.state, "ledgers")), "nor makes a folder");
  });

  test("mutes a session whose host has died before it heard of it", async () => {
    const person = new Person();
    const first = await open(person);
    server.answers.push({ text: "silent" });
    step(first);
    await first.until(() => counted(person, "review.silent") === 1);
    assert.equal(person.run(["mute"]).code, 0);
    await first.advisor.close();
    assert.equal(stored(person).muted, undefined, "nobody has heard of it");
    const asked = server.requests.length;
    const second = await open(person);
    step(second);
    await second.until(() => counted(person, "review.skipped.muted") === 1);
    assert.equal(stored(person).muted, true);
    assert.equal(server.requests.length, asked);
    await second.advisor.close();
  });
});

describe("superadvisor install", () => {
  const own = '{\r\n  // mine\r\n  "model": "a/b", /* chosen */\r\n}\r\n';

  test("keeps the rest of the file, its mode, a copy of it, and the link that leads to it", () => {
    const person = new Person();
    const real = path.join(person.folder("dotfiles"), "oc.jsonc");
    const link = path.join(person.folder(".config", "opencode"), "opencode.jsonc");
    fs.writeFileSync(real, own, { mode: 0o640 });
    fs.symlinkSync(real, link);
    assert.equal(person.run(["install", "--dry-run"]).code, 0);
    assert.equal(fs.readFileSync(link, "utf8"), own);
    const { code, err } = person.run(["install"]);
    assert.deepEqual([code, err], [0, ""]);
    assert.equal(fs.readFileSync(real, "utf8"), '{\r\n  // mine\r\n  "model": "a/b", /* chosen */\r\n  "plugin": ["opencode-superadvisor"]\r\n}\r\n');
    assert.equal(fs.statSync(real).mode & 0o777, 0o640);
    assert.ok(fs.lstatSync(link).isSymbolicLink());
    assert.deepEqual(fs.readdirSync(path.dirname(link)), ["opencode.jsonc"]);
    assert.deepEqual(fs.readdirSync(path.dirname(real)).sort(), ["oc.jsonc", "oc.jsonc.bak"]);
    assert.equal(fs.readFileSync(`${real}.bak`, "utf8"), own);
    const before = fs.statSync(real).mtimeMs;
    assert.match(person.run(["install"]).out, /already; nothing to do/);
    assert.equal(fs.statSync(real).mtimeMs, before);
  });

  test("says so when the folder cannot be written", () => {
    const person = new Person();
    const folder = person.folder(".config", "opencode");
    const file = path.join(folder, "opencode.json");
    fs.writeFileSync(file, "{}");
    fs.chmodSync(folder, 0o555);
    fs.chmodSync(person.home, 0o755);
    // Root may write everywhere, so it is somebody else who tries.
    const { code, out, err } = person.run(["install"], process.getuid?.() === 0 ? { uid: 65534 } : {});
    fs.chmodSync(folder, 0o755);
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^superadvisor install: cannot write .*opencode\.json: EACCES: permission denied.*Nothing was changed\.\n$/);
    assert.equal(fs.readFileSync(file, "utf8"), "{}");
    assert.deepEqual(fs.readdirSync(folder), ["opencode.json"]);
  });

  test("leaves alone what is no file", () => {
    const person = new Person();
    person.folder(".config", "opencode", "opencode.jsonc");
    const { code, err } = person.run(["install"]);
    assert.equal(code, 1);
    assert.match(err, /cannot read .*opencode\.jsonc: is a folder/);
  });
});

describe("superadvisor doctor", () => {
  const server = new ModelServer();
  const observer = new Observer();
  let observed = "";
  before(async () => {
    observer.answer = (_, response) => response.end("go on");
    observed = await observer.start();
    await server.start();
  });
  after(() => {
    observer.stop();
    server.stop();
  });

  /** A machine with a model that answers and a host. */
  function healthy(behaviour = "works"): { person: Person; env: NodeJS.ProcessEnv } {
    const person = new Person();
    fs.writeFileSync(path.join(person.project, "README.md"), "# hello\n");
    const config = person.folder(".config", "opencode");
    fs.writeFileSync(path.join(config, "advisor.json"), JSON.stringify({ watchdogModel: "test/reviewer", provider: { baseURL: server.baseURL, apiKey: "sk-of-the-test" } }));
    fs.writeFileSync(path.join(config, "opencode.jsonc"), '{"plugin":["opencode-superadvisor"]}');
    const bin = path.dirname(person.host("opencode", behaviour, observed));
    return { person, env: { PATH: `${bin}:/bin:/usr/bin`, TMPDIR: person.folder("tmp"), OPENAI_API_KEY: "sk-of-the-person" } };
  }
  const checks = (out: string) => JSON.parse(out) as { state: string; check: string; text: string; mend: string }[];

  test("tries what the advisor needs, each thing for real", async () => {
    const { person, env } = healthy();
    server.otherwise = { toolCalls: [{ name: "read", args: { path: "README.md" } }] };
    const { code, out, err } = await person.start(["doctor", "--json"], env);
    assert.deepEqual([code, err], [0, ""]);
    const all = checks(out);
    assert.deepEqual(all.filter(({ state }) => state !== "ok"), [], out);
    const text = (name: string) => all.find(({ check }) => check === name)?.text ?? "";
    assert.match(text("program"), new RegExp("Bun" in globalThis ? "with bun " : "with node "));
    assert.match(text("module"), /^\d+ bytes, SHA-256 [0-9a-f]{64}, \d+ imports, each of them on the list/);
    assert.equal(text("opencode"), "1.18.33");
    assert.match(text("watchdog"), /it answered in \d+ ms and called a tool$/);
    assert.match(text("tools"), /^read \(README.md\), grep and glob work in /);
    assert.match(text("rehearsal"), /a note with a true quote was delivered and seen/);
    assert.match(text("opencode trial"), /^in a turn of the real program, .* a note was delivered and seen by the agent; \d+\.\d s$/);
    const [host] = observer.told;
    const folder = path.dirname(host!.cwd!);
    assert.ok(folder.startsWith(path.join(person.home, "tmp", "superadvisor-trial-")));
    assert.equal(host!.env!["HOME"], path.join(folder, "home"));
    assert.ok(!JSON.stringify(host).includes("sk-of-the"), "a key of the person's is in the environment of the host");
    assert.deepEqual(host!.folder, ["cache", "config", "data", "home", "project", "state", "tmp"]);
    assert.deepEqual(fs.readdirSync(path.join(person.home, "tmp")), [], "the folder of the trial is left behind");
    const [request] = server.requests;
    assert.equal(request!.authorization, "Bearer sk-of-the-test");
    assert.ok(!out.includes("sk-of-the-test"));
    assert.deepEqual(fs.readdirSync(path.join(person.state, "sessions")), []);
    assert.deepEqual(fs.readdirSync(path.join(person.state, "leases")), []);
  });

  test("starts no program that a cloned project brings, though the PATH names the present folder", async () => {
    const { person, env } = healthy();
    for (const name of ["opencode", "pi"]) fs.writeFileSync(path.join(person.project, name), "#!/bin/sh\n: > started\n: > \"$HOME/started\"\necho 1.0.0\n", { mode: 0o755 });
    const { code, out } = await person.start(["doctor", "--offline", "--json"], { ...env, PATH: ".::/bin:/usr/bin" });
    assert.equal(code, 0);
    assert.match(checks(out).find(({ check }) => check === "host")!.text, /^neither opencode nor pi is on the PATH/);
    assert.ok(!fs.existsSync(path.join(person.project, "started")) && !fs.existsSync(path.join(person.home, "started")));
  });

  test("ends with 1 and says what mends it", async () => {
    const { person, env } = healthy();
    server.otherwise = { status: 401, body: '{"error":{"message":"bad key"}}' };
    fs.mkdirSync(path.dirname(person.state), { recursive: true });
    fs.writeFileSync(person.state, "a file where the folder should be");
    const { code, out } = await person.start(["doctor", "--json"], env);
    assert.equal(code, 1);
    const failed = checks(out).filter(({ state }) => state === "failure");
    assert.deepEqual(
      failed.map(({ check }) => check),
      ["watchdog", "consult", "state"],
    );
    assert.match(failed[0]!.text, /401|key/);
    assert.match(failed[1]!.text, /, as above$/);
    assert.match(failed[2]!.mend, /XDG_STATE_HOME/);
  });

  test("says what a host said that failed in its trial", async () => {
    const { person, env } = healthy("ends");
    const { code, out } = await person.start(["doctor", "--offline", "--json"], env);
    assert.equal(code, 0);
    const { state, text, mend } = checks(out).find(({ check }) => check === "opencode trial")!;
    assert.deepEqual([state, mend], ["warning", "start opencode by hand and see why; --no-host leaves this out"]);
    assert.equal(text, "it ended with 1 before a note could reach its agent (requests: agent 1, advisor 0); its last words: Error: it has no network");
    assert.deepEqual(fs.readdirSync(path.join(person.home, "tmp")), []);
  });

  test("leaves nothing of a program that makes its folders, and asks once more where it needs the person's home", async () => {
    for (const [behaviour, made] of [
      ["works", false],
      ["managed", true],
    ] as const) {
      const { person, env } = healthy(behaviour);
      const { out } = await person.start(["doctor", "--offline", "--no-host", "--json"], env);
      assert.deepEqual(checks(out).find(({ check }) => check === "opencode"), { state: "ok", check: "opencode", text: "1.18.33", mend: "" });
      assert.equal(fs.existsSync(path.join(person.home, ".local", "share", "opencode")), made);
      assert.deepEqual(fs.readdirSync(path.join(person.home, "tmp")), []);
    }
  });

  test("says that a program cannot be started", async () => {
    const { person, env } = healthy();
    fs.chmodSync(path.join(person.home, "bin", "opencode"), 0o644);
    const { out } = await person.start(["doctor", "--offline", "--json", "--opencode", path.join(person.home, "bin", "opencode")], env);
    const { state, text } = checks(out).find(({ check }) => check === "opencode")!;
    assert.equal(state, "warning");
    assert.match(text, /^it does not tell its version: .*EACCES/);
  });
});

/** Plays a program to its end; its models do not answer. */
async function play(program: string, ms = 60_000): Promise<Tried> {
  const trial = new Trial({ type: "trial", id: "b1", program, inherit: ["PATH"], files: [{ path: "project/", exists: true }], dir: "project", ms });
  const tried = await new Promise<Tried>((resolve) => trial.begin(resolve));
  assert.ok(trial.folder !== "" && !fs.existsSync(trial.folder), `${trial.folder} is left behind`);
  return tried;
}

describe("a trial of a host", () => {
  const observer = new Observer();
  let observed = "";
  before(async () => (observed = await observer.start()));
  after(() => observer.stop());

  test("ends with a host that hangs, and with what that has started", async () => {
    const { late, ended } = await play(new Person().host("opencode", "hangs", observed), 2_000);
    assert.deepEqual([late, ended], [true, true]);
    await observer.alone();
  });

  test("ends what a host leaves behind", async () => {
    const both: http.ServerResponse[] = [];
    observer.answer = ({ cwd }, response) => {
      both[cwd ? "unshift" : "push"](response);
      if (both.length === 2) both[0]!.end("go on"); // the host ends, and what it has started does not
    };
    const { late, ended, code } = await play(new Person().host("opencode", "leaves", observed));
    observer.answer = () => {};
    assert.equal(both.length, 2);
    assert.deepEqual([late, ended, code], [undefined, true, undefined]);
    await observer.alone();
  });

  test("says why a host cannot be started", async () => {
    const program = new Person().host("opencode", "works", observed);
    fs.chmodSync(program, 0o644);
    assert.match((await play(program)).failure ?? "", /EACCES/);
    assert.match((await play(`${program}2`)).failure ?? "", /ENOENT/);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    test(`leaves nothing behind after ${signal}`, async () => {
      const person = new Person();
      const program = person.host("opencode", "hangs", observed);
      const before = observer.told.length;
      const child = spawn(process.execPath, [script, "doctor", "--offline", "--opencode", program], {
        cwd: person.project,
        env: { ...person.env, PATH: "/bin:/usr/bin", TMPDIR: person.folder("tmp") },
        stdio: "ignore",
      });
      const ended = new Promise((resolve) => child.on("close", resolve));
      await observer.heard(before + 2);
      assert.equal(fs.readdirSync(path.join(person.home, "tmp")).length, 1);
      child.kill(signal);
      assert.equal(await ended, signal === "SIGINT" ? 130 : 143);
      await observer.alone();
      assert.deepEqual(fs.readdirSync(path.join(person.home, "tmp")), []);
    });
  }
});

describe("superadvisor bench", () => {
  const server = new ModelServer();
  before(() => server.start());
  after(() => server.stop());

  // The kept figures are those of the same code run natively; see internal/bench/sessions.
  test("gives every figure that is kept in the repository", async () => {
    const kept: unknown = JSON.parse(fs.readFileSync(path.join(PROJECT_ROOT, "testdata", "bench", "sessions.json"), "utf8"));
    const { code, out, err } = await new Person().start(["bench", "--json"]);
    assert.deepEqual([code, err], [0, ""]);
    assert.deepEqual(JSON.parse(out), kept);
  });

  test("lets a model watch, over the network, with its key", async () => {
    const person = new Person();
    const args = ["bench", "--session", "go-notes", "--model", "tiny", "--url", server.baseURL, "--key-env", "KEY_OF_THE_TEST"];
    const { code, out, err } = await person.start(args, { KEY_OF_THE_TEST: "sk-of-the-test" });
    assert.deepEqual([code, err], [0, "1 of 1: go-notes\n"]);
    assert.match(out, /^15 turns, 11 of them clean\n.*\ntiny +yes +0\.0 +0\.0 +0 of 3 /s);
    assert.ok(server.requests.length >= 11, `${server.requests.length} requests`);
    for (const { authorization, body } of server.requests) assert.deepEqual([authorization, body.model], ["Bearer sk-of-the-test", "tiny"]);
    assert.deepEqual(fs.readdirSync(person.home).filter((name) => name !== ".bun"), ["project"], "nothing is kept");
    server.otherwise = { status: 401 };
    const refused = await person.start(args, { KEY_OF_THE_TEST: "sk-of-another" });
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, /^superadvisor bench: tiny at http:.* answered nothing: .* the last one: status 401$/m);
    assert.ok(!refused.err.includes("sk-of-another"));
  });
});

test("a plugin's guest gets nothing of what a command has", async () => {
  forgetProcess();
  const folder = scratch();
  const file = path.join(folder, "written");
  const effects = [
    { type: "write_file", id: "f1", path: file, text: "x", new: true },
    { type: "print", text: "x" },
    { type: "exit", code: 3 },
    { type: "probe", id: "p1" },
    { type: "trial", id: "b1", program: "/bin/sh", args: ["-c", `echo x > ${file}`], dir: ".", ms: 1_000 },
    { type: "trial_answer", id: "b1", end: true },
    { type: "deliver", session: "s1", id: "msg_1", wake: false, text: "asked", severity: "nit", description: "asked" },
  ];
  const host = new BenchHost(writeGuest(scratch(), { kind: "answer", outcome: JSON.stringify({ effects }) }));
  const alive = setInterval(() => {}, 60_000);
  host.advisor.start();
  await host.isReady;
  host.say({ type: "step_end", session: "s1" });
  await host.until(() => host.delivered.length > 0);
  await host.advisor.close();
  clearInterval(alive);
  assert.deepEqual(fs.readdirSync(folder), []);
  const log = fs.readFileSync(path.join(host.state, "opencode-superadvisor", "logs", "advisor.log"), "utf8");
  for (const { type } of effects.slice(0, -1)) assert.ok(log.includes(`${type} is refused`), `${type} is not in the log: ${log}`);
});
