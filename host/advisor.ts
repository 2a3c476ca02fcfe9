// The main thread's side: it owns the worker and stands between it and a host's
// adapter. Nothing here waits for the guest, and nothing that fails here
// reaches the host: a failure costs the advisor's own backlog.

import { randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import { addBounded, setBounded } from "./bounded.ts";
import { flagBusy, flagCount, flagInterrupt, type Grants, type HostEffect, type InitFacts, type ToMain, type ToWorker, type WorkerSetup } from "./messages.ts";
import type { Change, Deliver, Diagnostic, Event, Generate, Generated, History, Notice, Permission, Provider, Ready, Receipt, Session, Status } from "./protocol.gen.ts";
import { firstTime, maxHung, shared } from "./registry.ts";
import { describe } from "./text.ts";
import { boundHistory, weigh } from "./weigh.ts";

/** What an adapter does for the advisor. A rejected promise is a failure of that one effect. */
export interface Host {
  deliver(effect: Deliver): Promise<Pick<Receipt, "state" | "woke" | "detail">>;
  notice(effect: Notice): Promise<void> | void;
  status?(effect: Status): void;
  providers(ids: string[]): Promise<Provider[]>;
  history(session: string): Promise<History>;
  signals(session: string): Promise<{ changes?: Change[]; diagnostics?: Diagnostic[] }>;
  generate?(effect: Generate, signal: AbortSignal): Promise<Pick<Generated, "text" | "failure" | "detail">>;
  /** The guest has read its config: tools, commands and hooks can be registered. */
  ready?(ready: Ready): void;
}

/** A worker thread, or a test's stand-in. */
export interface Thread {
  post(message: ToWorker): void;
  /** Gives it up, without waiting: a thread that spins may never end. */
  abandon(): void;
}

export interface Deps {
  init: InitFacts;
  state: string;
  owner: string;
  wasm: string;
  spawn(setup: WorkerSetup, hear: (message: ToMain) => void, died: (reason: string) => void): Thread;
  deadlines?: Partial<Deadlines>;
}

export interface Deadlines {
  /** A call is milliseconds; the longest regular ones, a grep through a large tree, are below two seconds. */
  callMs: number;
  /** Between asking a call to stop and giving its worker up. */
  graceMs: number;
  /** A slow disk, a cold compile of the module. */
  startMs: number;
  /** The host's own methods: no answer is a failure. */
  hostMs: number;
  /** What is asked before the guest is ready waits for it. */
  readyMs: number;
  /** The host waits for a cleanup. */
  closeMs: number;
}

const deadlinesDefault: Deadlines = { callMs: 5_000, graceMs: 500, startMs: 20_000, hostMs: 15_000, readyMs: 3_000, closeMs: 250 };

/** Events wait this long for a step's end before they are posted all the same. */
const flushMs = 200;
/** A batch is posted when it reaches this size: posting copies, and a copy must stay short. */
const flushBytes = 128 * 1024;
/** Posted and not yet taken by the guest. Beyond it events are dropped and the session read again later. */
const maxUnderWay = 16 * 1024 * 1024;
/** Sessions whose facts are kept for a fresh guest. */
const maxSessions = 1_000;
const maxIgnored = 10_000;
const maxCalls = 64;

interface Watched {
  facts: Session;
  batch: Event[];
  bytes: number;
  announced: boolean; // the present guest knows it
  fresh: boolean; // the facts are news by themselves, also without an event
}

type Ending = { text: string; failed?: boolean } | { effect: string; message?: string };

export class Advisor {
  /** From the guest's Ready; undefined before. */
  ready: Ready | undefined;
  private thread: Thread | undefined;
  private flags = new Int32Array(new SharedArrayBuffer(4 * flagCount));
  private life = 0;
  private grants: Grants | undefined;
  private readonly sessions = new Map<string, Watched>();
  private readonly ignored = new Set<string>();
  private readonly calls = new Map<string, (ending: Ending) => void>();
  private readonly generations = new Map<string, AbortController>();
  private readonly limits: Deadlines;
  private underWay = 0;
  private off: string | undefined;
  private flushTimer: NodeJS.Timeout | undefined;
  private watch: NodeJS.Timeout | undefined;
  private watched = 0; // the call that the watch is about, 0: none has been seen yet
  private heardOnce = false;
  private onClosed: (() => void) | undefined;
  private readonly onStarted: (() => void)[] = [];
  private lastCall = 0;

  constructor(
    private readonly host: Host,
    private readonly deps: Deps,
  ) {
    this.limits = { ...deadlinesDefault, ...deps.deadlines };
  }

  /** Starts the worker. Returns at once. */
  start(): void {
    if (this.off !== undefined || this.thread) return;
    if (shared().hung >= maxHung) {
      this.off = "two guests of this process hang";
      return;
    }
    this.flags = new Int32Array(new SharedArrayBuffer(4 * flagCount));
    this.life = 0;
    this.underWay = 0;
    this.heardOnce = false;
    const { init, state, owner, wasm } = this.deps;
    const flags = this.flags.buffer as SharedArrayBuffer;
    let thread: Thread | undefined;
    const current = <A extends unknown[]>(act: (...args: A) => void) => (...args: A) => {
      // What an abandoned thread still says is nobody's.
      if (thread === undefined || thread === this.thread) this.safely(() => act(...args));
    };
    try {
      thread = this.deps.spawn(
        { wasm, init, state, owner, flags, ...(this.grants ? { grants: this.grants } : {}) },
        current((message) => this.hear(message)),
        current((reason) => this.died(reason)),
      );
      this.thread = thread;
      this.arm(this.limits.startMs, 0);
      this.flushAll(); // what came before the start
    } catch (error) {
      this.turnOff(`its worker did not start: ${describe(error)}`);
    }
  }

  /** Whether events of this session are of use. Cheap, so that adapters ask first. */
  wants(session: string): boolean {
    return this.off === undefined && !this.ignored.has(session);
  }

  /** Tells the guest of a session, or of a hole in what was seen of it (complete: false). */
  announce(facts: Session): void {
    if (!this.wants(facts.session)) return;
    this.flushSoon();
    const known = this.sessions.get(facts.session);
    if (known) {
      known.facts = facts;
      known.announced = false;
      known.fresh = true;
      return;
    }
    for (const forgotten of setBounded(this.sessions, facts.session, { facts, batch: [], bytes: 0, announced: false, fresh: true }, maxSessions)) {
      this.flush(forgotten);
    }
  }

  knows(session: string): boolean {
    return this.sessions.has(session);
  }

  /** Appends an event to its session's batch. Posts it when the event ends a step or a turn. */
  send(event: Event & { session: string }): void {
    if (event.type === "closed") this.ignored.delete(event.session);
    if (!this.wants(event.session)) return;
    const watched = this.sessions.get(event.session);
    if (!watched) return;
    watched.batch.push(event);
    watched.bytes += weigh(event);
    if (boundary.has(event.type) || watched.bytes >= flushBytes) {
      this.flush(watched);
    } else {
      this.flushSoon();
    }
    if (event.type === "closed") this.sessions.delete(event.session);
  }

  /** Asks the guest for advice. Never rejects; a failure is a text that says so. */
  async consult(ask: { session: string; call: string; question?: string; context?: string }, signal?: AbortSignal): Promise<{ text: string; failed?: boolean }> {
    await this.started();
    const limit = this.ready?.consultTimeoutMs ?? 120_000;
    if (!this.ready?.consult) return { text: "The advisor is not available now. Go on without it.", failed: true };
    return this.call(ask.call, { type: "consult", ...ask }, limit, signal, { text: `The advisor did not answer within ${Math.round(limit / 1000)} seconds. Go on without it.`, failed: true });
  }

  /** Runs a slash command of ours. Never rejects. */
  async command(ask: { session?: string; call: string; name: string; text?: string }): Promise<{ text: string; failed?: boolean }> {
    await this.started();
    if (this.off !== undefined) return { text: `The advisor is off: ${this.off}.`, failed: true };
    if (!this.ready) return { text: "The advisor is still starting. Try again in a moment.", failed: true };
    return this.call(ask.call, { type: "command", ...ask }, this.limits.hostMs, undefined, { text: "The advisor did not answer. Its log tells more.", failed: true });
  }

  /** Judges a permission ask. Never rejects; without an answer in time the person is asked. */
  permission(ask: Omit<Permission, "type">): Promise<{ effect: string; message?: string }> {
    const fallback = { effect: "ask" };
    if (!this.ready?.judge) return Promise.resolve(fallback);
    return this.call(ask.call, { type: "permission", ...ask }, this.ready.judgeTimeoutMs ?? 30_000, undefined, fallback);
  }

  /** Fresh ids for calls. */
  callID(): string {
    return `${++this.lastCall}_${randomBytes(6).toString("hex")}`;
  }

  /** Ends everything that this advisor has started, within closeMs. */
  async close(): Promise<void> {
    if (this.off === undefined) this.flushAll();
    const { thread } = this;
    this.off ??= "the plugin was unloaded";
    for (const go of this.onStarted.splice(0)) go();
    for (const end of [...this.calls.values()]) end({ text: "The advisor was unloaded.", failed: true });
    for (const generation of this.generations.values()) generation.abort();
    this.disarm();
    clearTimeout(this.flushTimer);
    if (thread) {
      const closed = new Promise<void>((resolve) => {
        this.onClosed = resolve;
      });
      this.post({ t: "close" });
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([closed, new Promise<void>((resolve) => (timer = setTimeout(resolve, this.limits.closeMs)))]);
      clearTimeout(timer);
      thread.abandon();
      this.thread = undefined;
    }
    this.sessions.clear();
  }

  /** Until the guest is ready or off, for a moment at most: a command may be the first thing that a host does. */
  private started(): Promise<void> {
    if (this.ready || this.off !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = unref(setTimeout(resolve, this.limits.readyMs));
      this.onStarted.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private call<T extends Ending>(id: string, event: Event, limitMs: number, signal: AbortSignal | undefined, fallback: T): Promise<T> {
    if (this.calls.size >= maxCalls || this.off !== undefined) return Promise.resolve(fallback);
    const session = "session" in event ? event.session : undefined;
    if (session) this.flush(this.sessions.get(session)); // what was said before the question
    return new Promise((resolve) => {
      const finish = (ending: Ending) => {
        if (!this.calls.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(ending as T);
      };
      const abort = () => {
        this.post({ t: "events", events: [{ type: "abort", call: id }], bytes: 0, life: this.life });
        finish(fallback);
      };
      const timer = unref(setTimeout(() => this.safely(abort), limitMs));
      this.calls.set(id, finish);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
      else this.post({ t: "events", events: [event], bytes: 0, life: this.life });
    });
  }

  private flushSoon(): void {
    this.flushTimer ??= unref(setTimeout(() => this.safely(() => this.flushAll()), flushMs));
  }

  /** Posts what waits. */
  flushAll(): void {
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    for (const watched of this.sessions.values()) this.flush(watched);
  }

  private flush(watched: Watched | undefined): void {
    if (!watched || !this.thread || (!watched.fresh && watched.batch.length === 0)) return;
    const { batch, bytes } = watched;
    watched.batch = [];
    watched.bytes = 0;
    watched.fresh = false;
    if (this.underWay + bytes > maxUnderWay) {
      // The guest does not keep up. It will be told that something is missing.
      watched.facts = { ...watched.facts, complete: false };
      watched.announced = false;
      return;
    }
    const events: Event[] = watched.announced ? batch : [watched.facts, ...batch];
    watched.announced = true;
    this.underWay += bytes;
    this.post({ t: "events", events, bytes, life: this.life });
  }

  private post(message: ToWorker): void {
    const { thread } = this;
    if (!thread) return;
    try {
      thread.post(message);
    } catch {
      // Something in it cannot be cloned; as JSON it can.
      this.safely(() => thread.post(JSON.parse(JSON.stringify(message)) as ToWorker));
    }
    if (this.watch === undefined) this.arm(this.limits.callMs, 0);
  }

  private hear(message: ToMain): void {
    this.heardOnce = true;
    switch (message.t) {
      case "call":
        this.arm(this.limits.callMs, message.n);
        return;
      case "done":
        this.disarm();
        this.underWay = Math.max(0, this.underWay - message.bytes);
        for (const effect of message.effects) this.safely(() => this.perform(effect));
        return;
      case "ready":
        this.grants = message.grants;
        this.ready = message.ready;
        if (!message.ready.enabled) this.retire();
        this.host.ready?.(message.ready);
        for (const go of this.onStarted.splice(0)) go();
        return;
      case "providers":
        this.answer(() => this.host.providers(message.providers), (providers) => this.post({ t: "providers", id: message.id, providers }), () => []);
        return;
      case "restarted":
        this.renew(message.life);
        return;
      case "fatal":
        this.turnOff(message.reason);
        return;
      case "notice":
        this.notify({ type: "notice", key: message.key, variant: "warning", text: message.text });
        return;
      case "closed":
        this.onClosed?.();
        return;
    }
  }

  private perform(effect: HostEffect): void {
    switch (effect.type) {
      case "deliver":
        this.answer(
          () => this.host.deliver(effect),
          (receipt) => this.reply({ type: "receipt", session: effect.session, id: effect.id, ...receipt }),
          (detail) => ({ state: "refused", detail }),
        );
        return;
      case "notice":
        this.notify(effect);
        return;
      case "status":
        this.host.status?.(effect);
        return;
      case "ignore":
        addBounded(this.ignored, effect.session, maxIgnored);
        this.sessions.delete(effect.session);
        return;
      case "resync":
        this.answer(
          () => this.host.history(effect.session),
          (history) => this.reply(boundHistory(history)),
          (failure) => ({ type: "history", session: effect.session, failure }) satisfies History,
        );
        return;
      case "signals_wanted":
        this.answer(
          () => this.host.signals(effect.session),
          (signals) => this.reply({ type: "signals", session: effect.session, id: effect.id, ...signals }),
          () => ({}),
        );
        return;
      case "generate":
        this.generate(effect);
        return;
      case "generate_cancel":
        this.generations.get(effect.id)?.abort();
        return;
      case "answer":
        this.calls.get(effect.call)?.({ text: effect.text, ...(effect.failed ? { failed: true } : {}) });
        return;
      case "decision":
        this.calls.get(effect.call)?.({ effect: effect.effect, ...(effect.message ? { message: effect.message } : {}) });
        return;
    }
  }

  private generate(effect: Generate): void {
    const { id } = effect;
    const done = (result: Pick<Generated, "text" | "failure" | "detail">) => this.reply({ type: "generated", id, ...result });
    if (!this.host.generate) {
      done({ failure: "unsupported", detail: "this host has no model call for plugins" });
      return;
    }
    const controller = new AbortController();
    this.generations.set(id, controller);
    let timedOut = false;
    const timer = unref(
      setTimeout(() => {
        timedOut = true;
        controller.abort();
      }, effect.timeoutMs),
    );
    const aborted = new Promise<Pick<Generated, "failure">>((resolve) => {
      controller.signal.addEventListener("abort", () => resolve({ failure: timedOut ? "timeout" : "cancelled" }), { once: true });
    });
    const { host } = this;
    void Promise.race([invoke(() => host.generate!(effect, controller.signal)), aborted])
      .catch((error: unknown) => ({ failure: "failed", detail: describe(error) }))
      .then((result) => {
        clearTimeout(timer);
        this.generations.delete(id);
        this.safely(() => done(result));
      });
  }

  /** Hands a result of the host's on; a failure or a long silence becomes what instead makes of it. */
  private answer<T>(ask: () => Promise<T>, deliver: (value: T) => void, instead: (failure: string) => T): void {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<T>((resolve) => {
      timer = unref(setTimeout(() => resolve(instead(`the host did not answer within ${this.limits.hostMs} ms`)), this.limits.hostMs));
    });
    void Promise.race([invoke(ask), late])
      .catch((error: unknown) => instead(describe(error)))
      .then((value) => {
        clearTimeout(timer);
        if (this.off === undefined) this.safely(() => deliver(value));
      });
  }

  /** Posts an answer to the present guest, behind what it has been told before. */
  private reply(event: Event): void {
    this.post({ t: "events", events: [event], bytes: 0, life: this.life });
  }

  private notify(notice: Notice): void {
    if (!firstTime(`${notice.session ?? ""} ${notice.key}`)) return;
    void invoke(() => this.host.notice(notice)).catch(() => {}); // there is nobody left to tell
  }

  private arm(ms: number, call: number): void {
    clearTimeout(this.watch);
    this.watched = call;
    this.watch = unref(setTimeout(() => this.safely(() => this.overdue()), ms));
  }

  private disarm(): void {
    clearTimeout(this.watch);
    this.watch = undefined;
  }

  /**
   * The worker has been silent for a whole deadline. When the host kept this thread busy for
   * as long, its messages lie here unheard; the shared memory knows better.
   */
  private overdue(): void {
    this.watch = undefined;
    const running = Atomics.load(this.flags, flagBusy);
    if (!this.heardOnce) {
      // Messages come before the next turn of the event loop's checks.
      setImmediate(() => {
        if (!this.heardOnce && this.thread) this.safely(() => this.turnOff(`its worker did not start within ${this.limits.startMs} ms`));
      });
    } else if (running !== 0 && running === this.watched) {
      Atomics.store(this.flags, flagInterrupt, running);
      this.watch = unref(setTimeout(() => this.safely(() => this.abandon(running)), this.limits.graceMs));
    } else if (running !== 0) {
      this.arm(this.limits.callMs, running);
    }
  }

  /** The guest neither ends nor hears that it should. A fresh worker takes over, once. */
  private abandon(call: number): void {
    this.watch = undefined;
    if (Atomics.load(this.flags, flagBusy) !== call) return; // it has ended after all
    shared().hung++;
    this.thread?.abandon();
    this.thread = undefined;
    this.disarm();
    if (shared().hung >= maxHung) {
      this.turnOff("its guest hangs");
      return;
    }
    this.start();
    this.renew(0);
  }

  private died(reason: string): void {
    this.thread = undefined;
    this.disarm();
    if (this.off !== undefined) {
      this.onClosed?.();
      return;
    }
    this.turnOff(`its worker ended: ${reason}`);
  }

  /** A fresh guest: it knows no session, and what was under way is lost. */
  private renew(life: number): void {
    this.life = life;
    for (const watched of this.sessions.values()) {
      watched.facts = { ...watched.facts, complete: false };
      watched.announced = false;
    }
    for (const end of [...this.calls.values()]) end({ effect: "ask", text: "The advisor failed. Go on without it.", failed: true });
    for (const generation of this.generations.values()) generation.abort();
  }

  private turnOff(reason: string): void {
    if (this.off !== undefined) return;
    this.notify({ type: "notice", key: "off", variant: "error", text: `The advisor is off: ${reason}. The session goes on without it.` });
    this.retire(reason);
  }

  /** Lets the worker go and hears no more events. */
  private retire(reason = "it is switched off in its config"): void {
    this.off = reason;
    for (const go of this.onStarted.splice(0)) go();
    this.disarm();
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    for (const end of [...this.calls.values()]) end({ effect: "ask", text: "The advisor is off.", failed: true });
    for (const generation of this.generations.values()) generation.abort();
    this.sessions.clear();
    this.thread?.abandon();
    this.thread = undefined;
  }

  /** No failure of ours is the host's. */
  private safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.off ??= `an internal error: ${describe(error)}`;
      this.thread?.abandon();
      this.thread = undefined;
    }
  }
}

const boundary: ReadonlySet<Event["type"]> = new Set<Event["type"]>([
  "user",
  "step_end",
  "turn_end",
  "compacted",
  "reverted",
  "closed",
  "receipt",
  "decided",
]);

/** Calls a host's method; what it throws at once is a rejection like any other. */
async function invoke<T>(ask: () => Promise<T> | T): Promise<T> {
  return ask();
}

function unref(timer: NodeJS.Timeout): NodeJS.Timeout {
  timer.unref();
  return timer;
}

/** A thread that runs dist/worker.js. */
export function spawnWorker(script: URL): Deps["spawn"] {
  return (setup, hear, died) => {
    const worker = new Worker(script, { workerData: setup, name: "opencode-superadvisor" });
    worker.unref(); // the host's process ends when it wants to
    worker.on("message", hear);
    worker.on("error", (error) => died(describe(error)));
    worker.on("exit", (code) => died(`it exited with code ${code}`));
    return {
      post: (message) => worker.postMessage(message),
      abandon: () => {
        worker.removeAllListeners();
        worker.on("error", () => {}); // an unheard error would be the host's
        void Promise.resolve(worker.terminate()).catch(() => {});
        worker.unref();
      },
    };
  };
}
