// The main thread's side: it owns the worker and stands between it and a host's
// adapter. Nothing here waits for the guest, and nothing that fails here
// reaches the host: a failure costs the advisor's own backlog.

import { type Answered, Calls, type Decided } from "./calls.ts";
import { Errands, type Host } from "./errands.ts";
import { Mailbox } from "./mailbox.ts";
import type { Grants, HostEffect, InitFacts, ToMain, ToWorker } from "./messages.ts";
import type { Decided as PersonDecided, Event, Permission, Ready, Session } from "./protocol.gen.ts";
import { boundOptions } from "./opencode/input.ts";
import { maxHung, shared } from "./registry.ts";
import { describe } from "./text.ts";
import type { Spawn, Thread } from "./thread.ts";
import { later } from "./timers.ts";
import { type Limits, Watch } from "./watch.ts";

export interface Deps {
  init: InitFacts;
  state: string; // the folder that holds ours
  owner: string; // names this process in leases
  wasm: string; // path of the module
  spawn: Spawn;
  deadlines?: Partial<Deadlines>;
}

export interface Deadlines extends Limits {
  /** The host's own methods: no answer is a failure. */
  hostMs: number;
  /** What is asked before the guest is ready waits for it. */
  readyMs: number;
  /** From a worker's start until its guest has read its config; the host may be asked on the way. */
  initMs: number;
  /** The host waits for a cleanup. */
  closeMs: number;
}

const deadlinesDefault: Deadlines = { callMs: 5_000, graceMs: 500, startMs: 20_000, hostMs: 15_000, readyMs: 3_000, initMs: 60_000, closeMs: 250 };

export class Advisor {
  /** From the guest's Ready; undefined before. */
  ready: Ready | undefined;
  private thread: Thread | undefined;
  private watch: Watch | undefined;
  private unready: NodeJS.Timeout | undefined;
  private life = 0;
  private grants: Grants | undefined;
  private kept: unknown;
  private off: string | undefined; // why, once it is
  /** Switched off in its config: a command starts a guest all the same, for one may switch it on. */
  private asleep = false;
  private visits = 0; // commands for which it is awake
  private onClosed: (() => void) | undefined;
  private readonly mail = new Mailbox((act) => this.safely(act));
  private readonly calls = new Calls();
  private readonly errands: Errands;
  private readonly onStarted: (() => void)[] = [];
  private readonly limits: Deadlines;

  constructor(
    private readonly host: Host,
    private readonly deps: Deps,
  ) {
    this.limits = { ...deadlinesDefault, ...deps.deadlines };
    this.errands = new Errands(host, this.limits.hostMs, deps.init.directory, (event) => {
      if (this.off === undefined) this.safely(() => this.tell(event));
    });
  }

  /** Starts the worker. Returns at once. */
  start(): void {
    if (this.off !== undefined || this.thread) return;
    if (shared().hung >= maxHung) {
      this.off = "two guests of this process hang";
      return;
    }
    let thread: Thread | undefined;
    // What an abandoned thread still says is nobody's.
    const current = <A extends unknown[]>(act: (...args: A) => void) => (...args: A) => {
      if (thread === undefined || thread === this.thread) this.safely(() => act(...args));
    };
    const watch = new Watch(
      this.limits,
      current(() => this.turnOff(`its worker did not start within ${this.limits.startMs} ms`)),
      current(() => this.replaceThread()),
    );
    this.life = 0;
    const { state, owner, wasm } = this.deps;
    // A project may have written the options. Nested without end they could be neither cloned nor read, and nobody would know why nothing happens.
    const { options } = this.deps.init;
    const init = options === undefined ? this.deps.init : { ...this.deps.init, options: boundOptions(options) };
    const flags = watch.flags.buffer as SharedArrayBuffer;
    try {
      thread = this.deps.spawn(
        { wasm, init, state, owner, flags, ...(this.grants ? { grants: this.grants } : {}), ...(this.kept === undefined ? {} : { kept: this.kept }) },
        current((message) => this.hear(message)),
        current((reason) => this.died(reason)),
      );
    } catch (error) {
      watch.ended();
      this.turnOff(`its worker did not start: ${describe(error)}`);
      return;
    }
    this.thread = thread;
    this.watch = watch;
    clearTimeout(this.unready);
    this.unready = later(this.limits.initMs, current(() => this.turnOff(`its guest was not ready within ${this.limits.initMs} ms`)));
    this.mail.connect((events, bytes) => this.post({ t: "events", events, bytes, life: this.life }));
    this.mail.flushAll(); // what came before the start
  }

  /** Whether events of this session are of use. Cheap, so that adapters ask first. */
  wants(session: string): boolean {
    return this.off === undefined && !this.mail.ignores(session);
  }

  knows(session: string): boolean {
    return this.mail.knows(session);
  }

  /** Tells the guest of a session, or of a hole in what was seen of it (complete: false). */
  announce(facts: Session): void {
    if (this.wants(facts.session)) this.mail.announce(facts);
  }

  /** Hands an event of an announced session to the guest. */
  send(event: Event & { session: string }): void {
    if (this.off === undefined) this.mail.put(event);
  }

  /** Posts what waits for a step's end. */
  flush(): void {
    this.mail.flushAll();
  }

  /** A fresh id for a call. */
  callID(): string {
    return this.calls.id();
  }

  /** Asks the guest for advice. Never rejects; a failure is a text that says so. */
  async consult(ask: { session: string; call: string; question?: string; context?: string }, signal?: AbortSignal): Promise<Answered> {
    await this.started();
    if (this.asleep) return { text: "The advisor is disabled. The person can switch it on with /advisor on.", failed: true };
    if (!this.ready?.consult) return { text: "The advisor is not available now. Go on without it.", failed: true };
    const limit = this.ready.consultTimeoutMs ?? 120_000;
    const ignored = this.mail.ignores(ask.session);
    return this.call({ type: "consult", ...ask, ...(ignored ? { ignored } : {}) }, limit, { text: `The advisor did not answer within ${Math.round(limit / 1000)} seconds. Go on without it.`, failed: true }, signal);
  }

  /** Runs a slash command of ours. Never rejects. */
  async command(ask: { session?: string; call: string; name: string; text?: string; models?: string[] }): Promise<Answered> {
    await this.started();
    return this.asleep ? this.visit(ask) : this.order(ask);
  }

  /** Until the guest has read its config, or ms have passed. */
  async begun(ms: number): Promise<void> {
    await this.started(ms);
  }

  /** Starts a guest that is switched off, for one command. */
  private async visit(ask: Parameters<Advisor["command"]>[0]): Promise<Answered> {
    if (this.visits++ === 0) {
      this.off = undefined;
      this.ready = undefined;
      this.start();
    }
    await this.started();
    const answer = await this.order(ask);
    if (--this.visits > 0 || !this.ready) return answer;
    const on = (answer.details as { enabled?: unknown } | undefined)?.enabled === true;
    this.retire("it is switched off in its config");
    if (on) {
      // From its beginning, so that all that follows from the config follows from the new one.
      this.asleep = false;
      this.off = undefined;
      this.ready = undefined;
      this.start();
    }
    return answer;
  }

  private async order(ask: Parameters<Advisor["command"]>[0]): Promise<Answered> {
    if (this.off !== undefined) return { text: `The advisor is off: ${this.off}.`, failed: true };
    if (!this.ready) return { text: "The advisor is still starting. Try again in a moment.", failed: true };
    return this.call({ type: "command", ...ask }, this.limits.hostMs, { text: "The advisor did not answer. Its log tells more.", failed: true });
  }

  /**
   * Judges a permission ask. Never rejects; without an answer in time, which counts from started, the
   * person is asked.
   */
  async permission(ask: Omit<Permission, "type" | "started">, started = Date.now()): Promise<Decided> {
    if (!this.ready?.judge) return { effect: "none" };
    const limit = this.ready.judgeTimeoutMs ?? 30_000;
    return this.call({ type: "permission", ...ask, started }, Math.max(0, limit - (Date.now() - started)), {
      effect: "ask",
      message: `The judge did not answer within ${limit} ms.`,
    });
  }

  /** What the person said to an ask, which may be that of a session that is not watched. */
  decided(said: Omit<PersonDecided, "type">): void {
    if (this.off === undefined) this.safely(() => this.tell({ type: "decided", ...said }));
  }

  /** Ends everything that this advisor has started, within closeMs. */
  async close(): Promise<void> {
    if (this.off === undefined) this.mail.flushAll();
    const { thread } = this;
    this.release("the plugin was unloaded");
    if (!thread) return;
    const closed = new Promise<void>((resolve) => {
      this.onClosed = resolve;
      thread.post({ t: "close" });
    });
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([closed, new Promise<void>((resolve) => (timer = setTimeout(resolve, this.limits.closeMs)))]);
    clearTimeout(timer);
    this.dropThread();
  }

  /** Until the guest is ready or off, for a moment at most: a command may be the first thing that a host does. */
  private started(ms = this.limits.readyMs): Promise<void> {
    if (this.ready || this.off !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms); // the host waits, and pi -p would end where nothing holds it
      this.onStarted.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private call<T extends Answered | Decided>(event: Extract<Event, { call: string }>, limitMs: number, fallback: T, signal?: AbortSignal): Promise<T> {
    if (this.off !== undefined) return Promise.resolve(fallback);
    if ("session" in event && event.session) this.mail.flush(event.session); // what was said before the question
    return this.calls.start(
      event.call,
      limitMs,
      fallback,
      () => this.tell(event),
      () => this.safely(() => this.tell({ type: "abort", call: event.call })),
      signal,
    );
  }

  /** Posts an event to the present guest, behind what it has been told before. */
  private tell(event: Event): void {
    this.post({ t: "events", events: [event], bytes: 0, life: this.life });
  }

  private post(message: ToWorker): void {
    const { thread, watch } = this;
    if (!thread || !watch) return;
    try {
      thread.post(message);
    } catch {
      thread.post(asJSON(message)); // something in it cannot be cloned
    }
    watch.expect();
  }

  private hear(message: ToMain): void {
    this.watch?.hear();
    switch (message.t) {
      case "call":
        this.watch?.began(message.n);
        return;
      case "done":
        this.watch?.ended();
        this.mail.taken(message.bytes);
        for (const effect of message.effects) this.safely(() => this.perform(effect));
        return;
      case "ready":
        clearTimeout(this.unready);
        this.grants = message.grants;
        this.ready = message.ready;
        this.asleep = !message.ready.enabled;
        if (this.asleep && this.visits > 0) {
          this.goOn();
          return;
        }
        if (this.asleep) this.retire("it is switched off in its config");
        this.host.ready?.(message.ready);
        this.goOn();
        return;
      case "kept":
        this.kept = message.state;
        return;
      case "providers":
        this.errands.providers(message.providers, (providers) => this.safely(() => this.post({ t: "providers", id: message.id, providers })));
        return;
      case "restarted":
        this.renew(message.life);
        return;
      case "fatal":
        this.turnOff(message.reason);
        return;
      case "notice":
        this.errands.notify({ type: "notice", key: message.key, variant: "warning", text: message.text });
        return;
      case "closed":
        this.onClosed?.();
        return;
    }
  }

  private perform(effect: HostEffect): void {
    switch (effect.type) {
      case "ignore":
        this.mail.ignore(effect.session);
        return;
      case "answer":
        this.calls.end(effect.call, { text: effect.text, ...(effect.failed ? { failed: true } : {}), ...(effect.details === undefined ? {} : { details: effect.details }) });
        return;
      case "decision":
        this.calls.end(effect.call, { effect: effect.effect, ...(effect.message ? { message: effect.message } : {}) });
        return;
      default:
        this.errands.run(effect);
    }
  }

  /** The guest neither ends nor hears that it should. A fresh worker takes over, once. */
  private replaceThread(): void {
    shared().hung++;
    this.dropThread(true);
    if (shared().hung >= maxHung) {
      this.turnOff("its guest hangs");
      return;
    }
    this.start();
    this.renew(0);
  }

  private died(reason: string): void {
    this.thread = undefined; // there is nothing to abandon
    this.onClosed?.();
    if (this.off === undefined) this.turnOff(`its worker ended: ${reason}`);
  }

  /** A fresh guest: it knows no session, and what was under way is lost. */
  private renew(life: number): void {
    this.life = life;
    this.mail.renew();
    this.calls.endAll("The advisor failed. Go on without it.");
    this.errands.stop();
  }

  private turnOff(reason: string): void {
    if (this.off !== undefined) return;
    this.errands.notify({ type: "notice", key: "off", variant: "error", text: `The advisor is off: ${reason}. The session goes on without it.` });
    this.retire(reason);
  }

  /** Hears no more events and lets the worker go. */
  private retire(reason: string): void {
    this.release(reason);
    this.dropThread();
  }

  /** Ends what waits here for the guest. */
  private release(reason: string): void {
    this.off ??= reason;
    this.goOn();
    this.watch?.ended();
    this.mail.connect(undefined);
    this.mail.clear();
    this.calls.endAll("The advisor is off. Go on without it.");
    this.errands.stop();
  }

  private dropThread(spins = false): void {
    clearTimeout(this.unready);
    this.watch?.ended();
    this.thread?.abandon(spins);
    this.thread = undefined;
    this.watch = undefined;
  }

  private goOn(): void {
    for (const go of this.onStarted.splice(0)) go();
  }

  /** No failure of ours is the host's, and none goes untold. */
  private safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      try {
        this.turnOff(`an internal error: ${describe(error)}`);
      } catch {
        this.off ??= "an internal error";
      }
    }
  }
}

/** What cannot be written as JSON either is left out, and the others come through. */
function asJSON(message: ToWorker): ToWorker {
  const copy = <T>(value: T): T[] => {
    try {
      return [JSON.parse(JSON.stringify(value)) as T];
    } catch {
      return [];
    }
  };
  if (message.t === "events") return { ...message, events: message.events.flatMap(copy) };
  if (message.t === "providers") return { ...message, providers: message.providers.flatMap(copy) };
  return message;
}
