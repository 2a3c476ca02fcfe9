// The worker's side: it owns the guest, gives it its events, performs what can be
// done here (disk, network, clock) and posts the rest to the main thread.

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Clock } from "./clock.ts";
import { Files } from "./fs.ts";
import { Guest, lossOf } from "./guest.ts";
import { flagBusy, flagInterrupt, type HostEffect, type ToMain, type ToWorker, type WorkerSetup } from "./messages.ts";
import { compile } from "./module.ts";
import { Needs, provide } from "./need.ts";
import { abiVersion, levelRecord, type Effect, type Event, type HTTP, type HTTPSend, type Log, type Need, type Outcome, type Saved, type WriteConfig } from "./protocol.gen.ts";
import { configFolder } from "./paths.ts";
import { appendRecord } from "./record.ts";
import { readSmall, replaceFile, type Store } from "./store.ts";
import { describe } from "./text.ts";
import { weigh } from "./weigh.ts";

/** Events and bytes in one batch: enough for a long turn, few enough that a call stays short. */
const maxBatch = 512;
const maxBatchBytes = 4 * 1024 * 1024;
/** Instances that may be lost in lossWindowMs before the advisor gives up. */
const maxLosses = 5;
const lossWindowMs = 10 * 60 * 1000;
const beatTimer = "loader:beat";

export interface Network {
  allow(origins: readonly string[]): void;
  send(request: HTTPSend): boolean;
  cancel(id: string): void;
  clear(): void;
}

export interface Surroundings {
  post(message: ToMain): void;
  clock: Clock;
  store: Pick<Store, "load" | "save" | "forget" | "claim" | "tally" | "heed" | "record" | "append" | "heartbeat" | "close">;
  network(done: (event: HTTP) => void): Network;
  /** Between two calls, so that newer messages are heard first. */
  later(work: () => void): void;
  beatMs: number;
  /** Only in the program superadvisor: what a plugin's guest must not have is refused where there is none. */
  desk?: { perform(effect: DeskEffect, answer: (event: Event) => void): void };
  /** Writes the judge's log; tests look at the lines here. */
  record?: (file: string, line: string) => void;
}

/** Effects that a person's own command may have, and no plugin. */
export type DeskEffect = Extract<Effect, { type: "print" | "exit" | "write_file" | "probe" | "trial" | "trial_answer" }>;

export class Server {
  private readonly network: Network;
  private readonly flags: Int32Array;
  private files: Files | undefined;
  private module: WebAssembly.Module | undefined;
  private guest: Guest | undefined;
  private needs = new Needs(undefined, undefined);
  private queue: Event[] = [];
  private bytes = 0; // of the queue, given back to the main thread
  private life = 0;
  private calls = 0;
  private pumping = false;
  private closed = false;
  private readonly pending = new Map<string, { asked: Need; admitted: Need }>();
  private losses: number[] = [];
  private unrecorded = false; // said once, until it goes again

  constructor(
    private readonly setup: WorkerSetup,
    private readonly around: Surroundings,
  ) {
    this.flags = new Int32Array(setup.flags);
    this.network = around.network((event) => this.hear(event));
  }

  /** Nothing is left to tell the guest now. */
  get idle(): boolean {
    return !this.pumping && this.queue.length === 0;
  }

  async start(module?: WebAssembly.Module): Promise<void> {
    try {
      this.files = new Files(this.setup.init.root);
      this.module = module ?? (await compile(fs.readFileSync(this.setup.wasm)));
      if (this.closed) return;
      this.instantiate();
    } catch (error) {
      this.fail(describe(error));
      return;
    }
    this.beat();
    this.pump();
  }

  receive(message: ToWorker): void {
    switch (message.t) {
      case "module":
        void this.start(message.module);
        break;
      case "events":
        this.bytes += message.bytes;
        if (message.life === this.life) this.queue.push(...message.events);
        this.pump();
        break;
      case "providers": {
        const need = this.pending.get(message.id);
        if (!need) break; // of an instance that is gone
        this.pending.delete(message.id);
        this.hear(provide(need.asked, need.admitted, message.providers));
        break;
      }
      case "close":
        this.close();
        break;
    }
  }

  private hear(event: Event): void {
    this.queue.push(event);
    this.pump();
  }

  private instantiate(): void {
    const { setup, around } = this;
    this.needs = new Needs(setup.grants, this.folder());
    this.pending.clear();
    this.guest = new Guest(this.module!, {
      files: this.files!,
      send: (request) => this.network.send(request),
      cancel: (id) => this.network.cancel(id),
      log: (line) => this.log(line),
      interrupted: () => Atomics.load(this.flags, flagInterrupt) === this.calls && this.calls > 0,
    });
    if (setup.grants) this.network.allow(setup.grants.origins);
    this.queue.unshift({
      type: "init",
      abi: abiVersion,
      ...setup.init,
      root: this.files!.root,
      seed: randomBytes(32).toString("hex"),
      ...(setup.kept === undefined ? {} : { kept: setup.kept }),
    });
    around.clock.clearAll();
  }

  /** Calls the guest until it has nothing more to hear, one batch for each turn of the event loop. */
  private pump(): void {
    if (this.pumping || !this.guest || this.queue.length === 0) return;
    this.pumping = true;
    const events = this.queue.splice(0, this.batchSize());
    const bytes = this.queue.length === 0 ? this.bytes : 0;
    this.bytes -= bytes;
    this.calls++;
    Atomics.store(this.flags, flagBusy, this.calls);
    this.around.post({ t: "call", n: this.calls });
    let effects: HostEffect[] = [];
    const batch = this.encode(events);
    try {
      effects = this.perform(read(this.guest.call(batch)));
    } catch (error) {
      this.lose(error);
    }
    Atomics.store(this.flags, flagBusy, 0);
    this.around.post({ t: "done", effects, bytes });
    this.pumping = false;
    if (this.queue.length > 0) this.around.later(() => this.pump());
  }

  private encode(events: Event[]): string {
    const now = this.around.clock.now();
    try {
      return JSON.stringify({ now, events });
    } catch {
      return `{"now":${now},"events":[${events.flatMap((event) => this.encodeOne(event)).join()}]}`;
    }
  }

  private encodeOne(event: Event): string[] {
    try {
      return [JSON.stringify(event)];
    } catch (error) {
      this.log({ type: "log", level: "error", text: `loader: an event of the host, ${event.type}, cannot be encoded and is dropped: ${describe(error)}` });
      return [];
    }
  }

  private batchSize(): number {
    let n = 0;
    let bytes = 0;
    while (n < this.queue.length && n < maxBatch) {
      bytes += weigh(this.queue[n]!);
      if (n > 0 && bytes > maxBatchBytes) break;
      n++;
    }
    return n;
  }

  /** Does what can be done here, in order, and gives back what the main thread must do. */
  private perform(effects: Effect[]): HostEffect[] {
    const rest: HostEffect[] = [];
    const { around } = this;
    const { store, clock } = around;
    for (const effect of effects) {
      switch (effect.type) {
        case "need":
          this.need(effect);
          break;
        case "ready": {
          const grants = this.needs.seal(effect.origins ?? [], effect.judgeLog);
          if (!grants) {
            this.log({ type: "log", level: "warn", text: "loader: a second ready was ignored" });
            break;
          }
          this.network.allow(grants.origins);
          this.setup.grants = grants;
          this.around.post({ t: "ready", ready: effect, grants });
          break;
        }
        case "load":
          this.queue.push({ type: "loaded", session: effect.session, ...store.load(effect.session, effect.origin) });
          break;
        case "save": {
          const failure = store.save(effect.session, effect.state);
          if (effect.id) this.queue.push({ type: "saved", id: effect.id, ...(failure ? { failure } : {}) });
          break;
        }
        case "forget":
          store.forget(effect.session, effect.keep);
          break;
        case "claim":
          this.queue.push({ type: "claimed", id: effect.id, ...store.claim(effect.session, effect.key) });
          break;
        case "tally": {
          const { id, name, line, from } = effect;
          const told = store.tally(name, line, id ? (from ?? 0) : undefined);
          if (id || told.failure !== undefined) this.queue.push({ type: "tallied", id: id ?? "", ...told });
          break;
        }
        case "heed":
          this.queue.push({ type: "heard", id: effect.id, ...store.heed(effect.session, effect.line, effect.from ?? 0) });
          break;
        case "set_timer": {
          const { id, ms } = effect;
          if (ms < 0) clock.clear(id);
          else clock.set(id, ms, () => this.hear({ type: "timer", id }));
          break;
        }
        case "append":
          if (effect.log === "judge") this.record(effect.line);
          else store.append(effect.log, effect.line);
          break;
        case "keep":
          this.setup.kept = effect.state;
          this.around.post({ t: "kept", state: effect.state });
          break;
        case "log":
          this.log(effect);
          break;
        case "write_config": {
          this.queue.push({ type: "saved", id: effect.id, ...this.writeConfig(effect) });
          break;
        }
        case "deliver":
        case "notice":
        case "status":
        case "ignore":
        case "resync":
        case "signals_wanted":
        case "facts_wanted":
        case "generate":
        case "generate_cancel":
        case "answer":
        case "decision":
          rest.push(effect);
          break;
        case "print":
        case "exit":
        case "write_file":
        case "probe":
        case "trial":
        case "trial_answer":
          if (around.desk) around.desk.perform(effect, (event) => this.hear(event));
          else this.log({ type: "log", level: "warn", text: `loader: ${effect.type} is refused: it is for the program superadvisor alone` });
          break;
        default:
          this.log({ type: "log", level: "warn", text: `loader: the guest asks for ${String((effect as Effect).type)}, which is not known here; ignored` });
      }
    }
    return rest;
  }

  private need(asked: Need): void {
    const admitted = this.needs.admit(asked);
    const refused = (asked.files?.length ?? 0) > (admitted.files?.length ?? 0) || asked.env?.length || asked.providers?.length;
    if (this.needs.isReady && refused) {
      this.log({ type: "log", level: "warn", text: "loader: a need after ready was refused" });
    }
    if (admitted.providers?.length) {
      this.pending.set(asked.id, { asked, admitted });
      this.around.post({ t: "providers", id: asked.id, providers: admitted.providers });
    } else {
      this.queue.push(provide(asked, admitted, []));
    }
  }

  /** Where advisor.json lies. */
  private folder(): string {
    const { host, home, configHome } = this.setup.init;
    return configFolder(host, home, configHome);
  }

  /** The decision is made whether its line can be written or not. */
  private record(line: string): void {
    const file = this.setup.grants?.judgeLog;
    if (!file) return;
    try {
      (this.around.record ?? appendRecord)(file, line);
      this.unrecorded = false;
    } catch (error) {
      if (!this.unrecorded) this.log({ type: "log", level: "warn", text: `loader: the judge's log ${file} cannot be written: ${describe(error)}` });
      this.unrecorded = true;
    }
  }

  /** A text that somebody wrote since the guest read it is not lost: the guest is shown it. */
  private writeConfig(effect: WriteConfig): Pick<Saved, "failure" | "text"> {
    if (effect.name !== "advisor.json") return { failure: `write ${effect.name}: only advisor.json is the advisor's own` };
    const folder = this.folder();
    try {
      fs.mkdirSync(folder, { recursive: true });
      const link = path.join(folder, effect.name);
      const file = fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? fs.realpathSync(link) : link; // into a repository of dotfiles, most likely
      const text = fs.existsSync(file) ? readSmall(file) : "";
      if (text !== (effect.was ?? "")) return { failure: "changed", text };
      replaceFile(file, effect.text);
      return {};
    } catch (error) {
      return { failure: `write ${effect.name}: ${describe(error)}` };
    }
  }

  /** Discards the instance with all that it had begun, and starts a fresh one. */
  private lose(error: unknown): void {
    const loss = lossOf(error);
    this.log({ type: "log", level: "error", text: `loader: the guest was lost: ${loss.reason}` });
    this.guest = undefined;
    this.network.clear();
    this.around.clock.clearAll();
    this.queue = []; // of sessions that the fresh instance does not know yet
    const now = Date.now();
    this.losses = [...this.losses.filter((at) => now - at < lossWindowMs), now];
    if (this.losses.length > maxLosses) {
      this.fail(`the guest failed ${this.losses.length} times within ${lossWindowMs / 60_000} minutes, at last with: ${loss.reason}`);
      return;
    }
    try {
      this.instantiate();
    } catch (failure) {
      this.fail(describe(failure));
      return;
    }
    this.life++;
    this.around.post({ t: "restarted", life: this.life, ...loss });
    this.beat();
  }

  private beat(): void {
    this.around.clock.set(beatTimer, this.around.beatMs, () => {
      this.around.store.heartbeat();
      this.beat();
    });
  }

  private fail(reason: string): void {
    this.log({ type: "log", level: "error", text: `loader: ${reason}` });
    this.guest = undefined;
    this.queue = [];
    this.around.post({ t: "fatal", reason });
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.guest) {
      this.queue.push({ type: "shutdown" });
      while (this.guest && this.queue.length > 0) this.pump();
    }
    this.guest = undefined;
    this.network.clear();
    this.around.clock.clearAll();
    this.around.store.close();
    this.around.post({ t: "closed" });
  }

  private log(line: Log): void {
    if (line.level === levelRecord) {
      this.around.store.record(line.text);
      return;
    }
    if (line.level === "debug" && !process.env["OPENCODE_SUPERADVISOR_DEBUG"]) return;
    this.around.store.append("advisor", `${new Date().toISOString()} ${line.level} ${line.text}`);
  }
}

/** Checks an outcome's shape; what is not one means that the instance is broken. */
function read(text: string): Effect[] {
  const outcome = JSON.parse(text) as Partial<Outcome> | null;
  const effects = outcome?.effects ?? [];
  if (!Array.isArray(effects) || !effects.every((effect) => typeof effect === "object" && effect !== null && typeof effect.type === "string")) {
    throw new Error("the guest's outcome is not a list of effects");
  }
  return effects;
}
