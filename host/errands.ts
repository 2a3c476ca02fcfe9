// What the guest wants done through the host's own methods. Each errand ends with
// something told to the guest: a result, a failure, or that the host was silent.

import type { HostEffect } from "./messages.ts";
import type { Change, Deliver, Diagnostic, Event, Facts, FactsWanted, Generate, Generated, History, Notice, Provider, Ready, Receipt, Status } from "./protocol.gen.ts";
import { firstTime } from "./registry.ts";
import { describe, maxText } from "./text.ts";
import { later } from "./timers.ts";
import { boundHistory } from "./weigh.ts";

/** What an adapter does for the advisor. A rejected promise is a failure of that one effect. */
export interface Host {
  deliver(effect: Deliver): Promise<Pick<Receipt, "state" | "woke" | "detail">>;
  notice(effect: Notice): Promise<void> | void;
  status?(effect: Status): void;
  providers(ids: string[]): Promise<Provider[]>;
  history(session: string): Promise<History>;
  signals(session: string): Promise<{ changes?: Change[]; diagnostics?: Diagnostic[] }>;
  /** What goes with a permission ask: the agent's settings, the project's worktrees. */
  facts?(wanted: FactsWanted): Promise<Omit<Facts, "type" | "id">>;
  generate?(effect: Generate, signal: AbortSignal): Promise<Pick<Generated, "text" | "failure" | "detail">>;
  /** The guest has read its config: tools, commands and hooks can be registered. */
  ready?(ready: Ready): void;
}

type Errand = Exclude<HostEffect, { type: "ignore" | "answer" | "decision" }>;
type Result = Pick<Generated, "text" | "failure" | "detail">;

export class Errands {
  private readonly generations = new Map<string, AbortController>();

  /** Tell hands an event to the guest and never throws. */
  constructor(
    private readonly host: Host,
    private readonly hostMs: number,
    /** The project: another one of this process has its own person to tell. */
    private readonly place: string,
    private readonly tell: (event: Event) => void,
  ) {}

  /** Does one effect; what comes of it is told to the guest. */
  run(effect: Errand): void {
    const { session, id } = { session: "", id: "", ...effect };
    switch (effect.type) {
      case "deliver":
        this.ask(
          () => this.host.deliver(effect),
          (receipt) => this.tell({ type: "receipt", session, id, ...receipt }),
          (detail) => ({ state: "refused", detail }),
        );
        return;
      case "notice":
        this.notify(effect);
        return;
      case "status":
        this.host.status?.(effect);
        return;
      case "resync":
        this.ask(
          () => this.host.history(session),
          (history) => this.tell(boundHistory(history)),
          (failure) => ({ type: "history", session, failure }) satisfies History,
        );
        return;
      case "signals_wanted":
        this.ask(
          () => this.host.signals(session),
          (signals) => this.tell({ type: "signals", session, id, ...signals }),
          () => ({}),
        );
        return;
      case "facts_wanted":
        this.ask(
          async () => this.host.facts?.(effect) ?? {},
          (facts) => this.tell({ type: "facts", id, ...facts }),
          () => ({}),
        );
        return;
      case "generate":
        this.generate(effect);
        return;
      case "generate_cancel":
        this.generations.get(id)?.abort();
        return;
    }
  }

  providers(ids: string[], done: (providers: Provider[]) => void): void {
    this.ask(() => this.host.providers(ids), done, () => []);
  }

  /** Takes every model call back. */
  stop(): void {
    for (const generation of this.generations.values()) generation.abort();
  }

  private generate(effect: Generate): void {
    const { host } = this;
    const { id } = effect;
    if (!host.generate) {
      this.tell({ type: "generated", id, failure: "unsupported", detail: "this host has no model call for plugins" });
      return;
    }
    const controller = new AbortController();
    this.generations.set(id, controller);
    let timedOut = false;
    const timer = later(effect.timeoutMs, () => {
      timedOut = true;
      controller.abort();
    });
    const aborted = new Promise<Result>((resolve) => {
      controller.signal.addEventListener("abort", () => resolve({ failure: timedOut ? "timeout" : "cancelled" }), { once: true });
    });
    void Promise.race([invoke(() => host.generate!(effect, controller.signal)), aborted])
      .catch((error: unknown): Result => ({ failure: "failed", detail: describe(error, maxText) }))
      .then((result) => {
        clearTimeout(timer);
        this.generations.delete(id);
        this.tell({ type: "generated", id, ...result });
      })
      .catch(() => {});
  }

  /** Hands a result of the host's on; a failure or a long silence becomes what instead makes of it. */
  private ask<T>(question: () => Promise<T>, deliver: (value: T) => void, instead: (failure: string) => T): void {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<T>((resolve) => {
      timer = later(this.hostMs, () => resolve(instead(`the host did not answer within ${this.hostMs} ms`)));
    });
    void Promise.race([invoke(question), late])
      .catch((error: unknown) => instead(describe(error)))
      .then((value) => {
        clearTimeout(timer);
        deliver(value);
      })
      .catch(() => {}); // a result of a shape that nobody has seen yet; the guest's own deadline ends the wait
  }

  /** Shows a notice, once for its project, session and key in this process. */
  notify(notice: Notice): void {
    if (!firstTime(JSON.stringify([this.place, notice.session ?? "", notice.key]))) return;
    void invoke(() => this.host.notice(notice)).catch(() => {}); // there is nobody left to tell
  }
}

/** Calls a host's method; what it throws at once is a rejection like any other. */
async function invoke<T>(ask: () => Promise<T> | T): Promise<T> {
  return ask();
}
