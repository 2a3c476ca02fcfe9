// One scenario of testdata/scenarios through the real loader: the advisor on this
// thread, the server and the module in a worker. The format is in the corpus' README.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { Worker } from "node:worker_threads";
import { Advisor } from "../host/advisor.ts";
import type { Host } from "../host/errands.ts";
import type { HostEffect, ToMain, WorkerSetup } from "../host/messages.ts";
import type { Change, Diagnostic, Event, Facts, History, HTTP, Session } from "../host/protocol.gen.ts";
import { stateFolder } from "../host/paths.ts";
import { Store } from "../host/store.ts";
import type { Control, Report } from "./scenario.entry.ts";

export interface Scenario {
  name: string;
  prose: string;
  options: Record<string, unknown>;
  files: Map<string, string>;
  home: Map<string, string>;
  script: Record<string, unknown>[];
  want: unknown[];
  keepGuest: boolean;
}

const epoch = 1_700_000_000_000;

export function readScenario(file: string): Scenario {
  const text = fs.readFileSync(file, "utf8");
  const parts = text.split(/^-- (.+) --$/m);
  const scenario: Scenario = { name: path.basename(file, ".txtar"), prose: parts[0]!.trim(), options: {}, files: new Map(), home: new Map(), script: [], want: [], keepGuest: false };
  for (let i = 1; i < parts.length; i += 2) {
    const name = parts[i]!;
    const body = parts[i + 1]!.replace(/^\n/, "");
    if (name === "options.json") scenario.options = JSON.parse(body) as Record<string, unknown>;
    else if (name.startsWith("files/")) scenario.files.set(name.slice(6), body);
    else if (name.startsWith("home/")) scenario.home.set(name.slice(5), body);
    else if (name === "script.jsonl") scenario.script = lines(body);
    else if (name === "want.jsonl") scenario.want = lines(body);
    else if (name === "keep-guest.txt") scenario.keepGuest = true;
    else throw new Error(`${file}: unknown section ${name}`);
  }
  return scenario;
}

function lines(body: string): Record<string, unknown>[] {
  return body
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The worker that all scenarios of a run share: it compiles the module once. */
export class Stage {
  private readonly worker: Worker;
  private onReport: (report: Report) => void = () => {};

  constructor(script: URL) {
    this.worker = new Worker(script);
    this.worker.on("message", (report: Report) => this.onReport(report));
    this.worker.on("error", (error) => {
      throw error;
    });
  }

  hear(on: (report: Report) => void): void {
    this.onReport = on;
  }

  tell(control: Control): void {
    this.worker.postMessage(control);
  }

  close(): Promise<number> {
    return this.worker.terminate();
  }
}

export class World implements Host {
  readonly seen: unknown[] = [];
  private advisor!: Advisor;
  private readonly root: string;
  private readonly home: string;
  private readonly known = new Map<string, Session>();
  private readonly ignored = new Set<string>();
  private readonly denied = new Set<string>();
  private readonly shown = new Set<string>();
  private look: string[] = [];
  private nextSignals: { changes?: Change[]; diagnostics?: Diagnostic[] } = {};
  private pastEvents: Event[] = [];
  private told: Omit<Facts, "type" | "id"> = {};
  private kept: unknown;
  private lines: string[] = []; // of the judge's log, of the call under way
  private openAllowed = false;
  private now = epoch;
  private sent = 0; // messages for the present server
  private rested: ((report: Extract<Report, { t: "rested" }>) => void) | undefined;
  private replied: ((ok: boolean) => void) | undefined;
  private toMain: (message: ToMain) => void = () => {};

  constructor(
    private readonly scenario: Scenario,
    private readonly stage: Stage,
    private readonly wasm: string,
    private readonly folder: string,
  ) {
    this.root = path.join(folder, "workspace");
    this.home = path.join(folder, "home");
    lay(this.root, scenario.files);
    lay(this.home, scenario.home);
    stage.hear((report) => this.report(report));
  }

  /** Plays the script; with replace the guest is replaced whenever nothing is under way. */
  async play(replace: boolean): Promise<void> {
    await this.begin();
    for (const line of this.scenario.script) {
      await this.line(line);
      if (!replace) continue;
      const { open, timers } = await this.rest();
      if (open === 0 && timers === 0) await this.begin();
    }
    const { open } = await this.rest();
    assert.ok(open === 0 || this.openAllowed, "a model request is open at the end");
  }

  private async begin(): Promise<void> {
    this.sent = 0;
    const { root, home } = this;
    const options: Record<string, unknown> = {
      watchdogModel: "fake/reviewer",
      provider: { baseURL: "http://127.0.0.1:9/v1", apiKey: "sk-scenario" },
      debounceMs: 0,
      ...this.scenario.options,
    };
    for (const key of Object.keys(options)) if (options[key] === null) delete options[key];
    const advisor = new Advisor(this, {
      init: { version: "0.0.0", host: "harness", hostVersion: "", directory: root, root, home, configHome: path.join(home, ".config"), dataHome: path.join(home, ".local", "share"), options: sorted(options) },
      state: path.join(this.folder, "state"),
      owner: "scenario 1 1",
      wasm: this.wasm,
      spawn: (given: WorkerSetup, hear) => {
        this.toMain = hear;
        const setup = this.kept === undefined ? given : { ...given, kept: this.kept };
        this.stage.tell({ t: "open", setup, now: this.now, denied: [...this.denied] });
        return {
          post: (message) => {
            this.sent++;
            this.stage.tell({ t: "to", message });
          },
          abandon: () => {},
        };
      },
      deadlines: { callMs: 60_000 },
    });
    this.advisor = advisor;
    advisor.start();
    for (const id of [...this.known.keys()].sort()) if (!this.ignored.has(id)) advisor.announce(this.known.get(id)!);
    await this.pump();
  }

  private async line(line: Record<string, unknown>): Promise<void> {
    if (line["do"] === undefined) return this.event(line);
    switch (line["do"]) {
      case "reply":
        return this.reply(line);
      case "advance": {
        const end = this.now + (line["ms"] as number);
        do {
          this.stage.tell({ t: "advance", end });
          await this.pump();
        } while (this.now < end);
        return;
      }
      case "write":
        return write(this.root, line["path"] as string, line["text"] as string);
      case "remove":
        return fs.rmSync(path.join(this.root, line["path"] as string), { recursive: true, force: true });
      case "symlink":
        return fs.symlinkSync(line["to"] as string, path.join(this.root, line["path"] as string));
      case "restart":
        return this.begin();
      case "wish": {
        const store = new Store(path.join(this.folder, "state", stateFolder), "superadvisor 1 1");
        assert.equal(store.heed((line["session"] as string | undefined) ?? "s1", line["line"] as string, 0).failure, undefined);
        return;
      }
      case "deny":
      case "allow":
        if (line["do"] === "deny") this.denied.add(line["what"] as string);
        else this.denied.delete(line["what"] as string);
        this.stage.tell({ t: "deny", denied: [...this.denied] });
        return;
      case "look":
        this.look = line["for"] as string[];
        return;
      case "open":
        this.openAllowed = true;
        return;
      case "signals":
        this.nextSignals = { changes: (line["changes"] as Change[]) ?? [], diagnostics: (line["diagnostics"] as Diagnostic[]) ?? [] };
        return;
      case "history":
        this.pastEvents = line["events"] as Event[];
        return;
      case "facts": {
        const { agentInfo, agentPrompt, worktrees } = line as { agentInfo?: unknown; agentPrompt?: string; worktrees?: string[] };
        this.told = { ...(agentInfo ? { agentInfo } : {}), ...(agentPrompt ? { agentPrompt } : {}), ...(worktrees ? { worktrees, worktreesOK: true } : {}) };
        return;
      }
    }
    throw new Error(`unknown directive ${String(line["do"])}`);
  }

  private async event(line: Record<string, unknown>): Promise<void> {
    const loose = line["type"] === "abort" || line["type"] === "shutdown";
    const session = (line["session"] as string | undefined) ?? (loose ? "" : "s1");
    const event = { ...line, ...(session ? { session } : {}) } as unknown as Event & { session: string };
    if (event.type === "session") {
      this.known.set(session, event);
      this.advisor.announce(event);
    } else if (session === "") {
      this.sent++;
      this.stage.tell({ t: "to", message: { t: "events", events: [event], bytes: 0, life: 0 } });
    } else {
      if (!this.known.has(session)) {
        this.known.set(session, { type: "session", session, complete: true });
        this.advisor.announce(this.known.get(session)!);
      }
      if (event.type === "permission") void this.advisor.permission(event);
      else if (event.type === "decided") this.advisor.decided(event);
      else this.advisor.send(event);
    }
    await this.pump();
  }

  /** Until the guest has nothing more to hear and no timer is due. */
  private async pump(): Promise<void> {
    for (;;) {
      await this.rest();
      this.stage.tell({ t: "fire" });
      if (!(await this.rest()).fired) return;
    }
  }

  /** Until both threads have nothing left for each other. */
  private async rest(): Promise<Extract<Report, { t: "rested" }>> {
    let fired = false;
    for (;;) {
      this.advisor.flush();
      // What the host was asked for resolves at once, but not in the same turn.
      await new Promise((resolve) => setImmediate(resolve));
      const { sent } = this;
      const report = await new Promise<Extract<Report, { t: "rested" }>>((resolve) => {
        this.rested = resolve;
        this.stage.tell({ t: "rest" });
      });
      fired ||= report.fired;
      this.now = report.now;
      await new Promise((resolve) => setImmediate(resolve));
      this.advisor.flush();
      if (sent === this.sent && report.received === sent) return { ...report, fired };
    }
  }

  private report(report: Report): void {
    switch (report.t) {
      case "from":
        if (report.message.t === "done") {
          for (const effect of report.message.effects) this.note(effect);
          for (const line of this.lines.splice(0)) this.record(line);
        } else if (report.message.t === "kept") {
          this.kept = report.message.state;
        }
        this.toMain(report.message);
        return;
      case "request":
        this.seen.push({ type: "request", ...this.describe(report.body) });
        return;
      case "record":
        this.lines.push(report.line);
        return;
      case "claim":
        this.seen.push({ type: "claim", granted: report.granted });
        return;
      case "replied":
        this.replied?.(report.ok);
        return;
      case "rested":
        this.rested?.(report);
        return;
    }
  }

  private note(effect: HostEffect): void {
    switch (effect.type) {
      case "deliver": {
        const { session, wake, severity, text, description, toast } = effect;
        this.seen.push({ type: "deliver", session, wake, severity, text, description, toast: toast ?? false });
        return;
      }
      case "notice": {
        const key = `${effect.session ?? ""} ${effect.key}`;
        if (!this.shown.has(key)) this.seen.push({ type: "notice", variant: effect.variant, text: effect.text });
        this.shown.add(key);
        return;
      }
      case "answer":
        this.seen.push({ type: "answer", call: effect.call, text: effect.text, failed: effect.failed ?? false });
        return;
      case "decision":
        this.seen.push({ type: "decision", call: effect.call, effect: effect.effect, message: effect.message ?? "" });
        return;
      case "ignore":
        this.ignored.add(effect.session);
        this.seen.push({ type: "ignore", session: effect.session, reason: effect.reason });
        return;
    }
  }

  /** A line of the judge's log. Of the prompt, which holds a nonce, only that there is one. */
  private record(line: string): void {
    const { prompt, ...fields } = JSON.parse(line) as Record<string, unknown>;
    this.seen.push({ type: "log", ...fields, ...(prompt === undefined ? {} : { prompt: prompt !== "" }) });
  }

  private describe(body: string): object {
    const request = JSON.parse(body) as { model: string; tools?: { function: { name: string } }[] };
    return {
      model: request.model,
      tools: (request.tools ?? []).map((tool) => tool.function.name).join(" "),
      ...(this.look.length > 0 ? { has: this.look.filter((mark) => body.includes(mark)) } : {}),
    };
  }

  private async reply(line: Record<string, unknown>): Promise<void> {
    const answer: Omit<HTTP, "type" | "id"> = {
      ...(line["failure"] ? { failure: line["failure"] as string } : { status: (line["status"] as number | undefined) ?? 200 }),
      headers: Object.entries((line["headers"] as Record<string, string> | undefined) ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => ({ name, value })),
    };
    if (line["failure"] === undefined) {
      const { body } = line;
      answer.body = typeof body === "string" ? body : JSON.stringify(body ?? completion(line));
    }
    const replied = new Promise<boolean>((resolve) => {
      this.replied = resolve;
    });
    this.stage.tell({ t: "reply", of: line["of"] as string | undefined, answer });
    assert.ok(await replied, "no model request is open");
    await this.pump();
  }

  async deliver(effect: { session: string; id: string }): Promise<{ state: string }> {
    if (!this.denied.has("seen")) {
      queueMicrotask(() => setImmediate(() => this.advisor.send({ type: "receipt", session: effect.session, id: effect.id, state: "seen" })));
    }
    return { state: "admitted" };
  }

  notice(): void {}

  async facts(): Promise<Omit<Facts, "type" | "id">> {
    return this.told;
  }

  async providers(): Promise<[]> {
    return [];
  }

  async history(session: string): Promise<History> {
    return { type: "history", session, events: this.pastEvents };
  }

  async signals(): Promise<{ changes?: Change[]; diagnostics?: Diagnostic[] }> {
    const signals = this.nextSignals;
    this.nextSignals = {};
    return signals;
  }
}

function completion(line: Record<string, unknown>): object {
  const message: Record<string, unknown> = { role: "assistant", content: line["text"] ?? "" };
  let finish = "stop";
  if (line["reasoning"]) message["reasoning_content"] = line["reasoning"];
  const calls = line["toolCalls"] as { name: string; args?: unknown }[] | undefined;
  if (calls) {
    finish = "tool_calls";
    message["tool_calls"] = calls.map(({ name, args }, i) => ({
      id: `call_${i + 1}`,
      type: "function",
      function: { name, arguments: typeof args === "string" ? args : args === undefined ? "" : JSON.stringify(args) },
    }));
  }
  return { choices: [{ index: 0, message, finish_reason: line["finish"] ?? finish }], usage: { prompt_tokens: 100, completion_tokens: 20 } };
}

/** With keys in order, as the native runner gives them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function lay(root: string, files: Map<string, string>): void {
  fs.mkdirSync(root, { recursive: true });
  for (const [name, text] of files) write(root, name, text);
}

function write(root: string, name: string, text: string): void {
  const file = path.join(root, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
