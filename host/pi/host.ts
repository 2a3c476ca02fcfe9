// The adapter for pi: one instance for each session, extension events in, pi's methods out.

import { Advisor, type Deps } from "../advisor.ts";
import type { Host } from "../errands.ts";
import { signalOf } from "../opencode/consult.ts";
import { aside, attempt, list, object, string } from "../opencode/json.ts";
import type { Change, Deliver, Generate, Generated, History, Notice, Provider, Ready, Receipt, Status } from "../protocol.gen.ts";
import { later } from "../timers.ts";
import { PiDesk } from "./desk.ts";
import { PiSession, type SessionEvent } from "./events.ts";
import { lineage, messagesOf, readBranch } from "./history.ts";
import { generate, readProvider } from "./models.ts";
import { PiNotes } from "./notes.ts";
import type { PiApi, PiContext } from "./types.ts";

/**
 * A compaction that failed has no event before 0.84, and the next run is the sign of it. Without one it counts as over after this time: a
 * slow model of the person's own machine writes a summary for half an hour, and pi's client waits as long for one that is silent.
 */
const compactionMs = 60 * 60_000;

export class PiHost implements Host {
  readonly advisor: Advisor;
  private readonly session: PiSession;
  private readonly notes: PiNotes;
  private ctx: PiContext | undefined;
  private compaction: NodeJS.Timeout | undefined;
  private closing = false;

  constructor(
    pi: PiApi,
    ctx: PiContext,
    private readonly desk: PiDesk,
    readonly id: string,
    deps: Deps,
  ) {
    this.ctx = ctx;
    this.session = new PiSession(id);
    this.advisor = new Advisor(this, deps);
    this.notes = new PiNotes(pi, this.session, () => this.context(), (event) => this.send(event));
  }

  start(): void {
    // What cannot be read is no reason to be silent: the session is then one of which something was missed.
    const messages = attempt(() => messagesOf(this.branch()), undefined);
    if (messages) attempt(() => this.session.learn(messages), undefined);
    this.announce(messages?.length === 0);
    this.advisor.start();
  }

  /** One event of pi. What is returned is pi's to use. */
  hear(name: string, event: unknown, ctx: PiContext): object | undefined {
    if (this.ctx === undefined || this.closing) return undefined;
    this.ctx = ctx;
    const about = object(event);
    if (name === "session_tree") {
      this.announce(false); // another branch: read anew
      return undefined;
    }
    for (const told of this.session.take(name, about)) {
      if (told.type === "user" && told.typed) this.notes.human();
      this.send(told);
    }
    switch (name) {
      case "message_start":
        this.notes.started(object(about["message"]));
        return undefined;
      case "context": {
        const messages = Array.isArray(about["messages"]) ? this.notes.before(about["messages"] as unknown[]) : undefined;
        return messages ? { messages } : undefined;
      }
      case "session_before_compact":
        this.watchCompaction(about["signal"]);
        return undefined;
      case "agent_start":
      case "session_compact":
      case "session_compact_failed":
        clearTimeout(this.compaction);
        if (name !== "agent_start") this.notes.rest();
        return undefined;
      case "agent_end":
        this.notes.rest();
        return undefined;
    }
    return undefined;
  }

  async close(): Promise<void> {
    if (this.ctx === undefined || this.closing) return;
    this.closing = true;
    clearTimeout(this.compaction);
    try {
      this.notes.leave();
      await this.advisor.close(); // what it still has to say comes before its end
      this.notes.close();
    } finally {
      this.ctx = undefined;
    }
  }

  async deliver(effect: Deliver): Promise<Pick<Receipt, "state" | "woke" | "detail">> {
    if (effect.session !== this.id) return { state: "refused", detail: "the session is not known" };
    return this.notes.deliver(effect);
  }

  notice(notice: Notice): void {
    const { hasUI, ui } = this.context();
    if (hasUI) ui.notify(notice.text, notice.variant === "error" || notice.variant === "info" ? notice.variant : "warning");
  }

  status(status: Status): void {
    try {
      this.context().ui.setStatus("advisor", status.text || undefined);
    } catch {
      // The session ended a moment ago.
    }
  }

  async history(): Promise<History> {
    return { type: "history", session: this.id, events: readBranch(this.id, this.branch(), (id) => this.session.isForeign(id)) };
  }

  async signals(): Promise<{ changes?: Change[] }> {
    return {}; // pi knows no working tree
  }

  async providers(ids: string[]): Promise<Provider[]> {
    const { modelRegistry } = this.context();
    return Promise.all(ids.map((id) => readProvider(modelRegistry, id).catch(() => ({ id, known: true }))));
  }

  async generate(effect: Generate, signal: AbortSignal): Promise<Pick<Generated, "text" | "failure" | "detail">> {
    return generate(this.context(), effect, signal);
  }

  ready(ready: Ready): void {
    if (this.ctx === undefined) return;
    if (!this.advisor.knows(this.id)) this.announce(false); // a guest that was switched on after all
    try {
      this.desk.follow({ consult: ready.consult, model: ready.consultModel ?? "", effort: ready.consultEffort ?? "" });
    } catch {
      // The session ended a moment ago.
    }
  }

  private announce(complete: boolean): void {
    if (!this.advisor.wants(this.id)) return;
    const { sessionManager, cwd } = this.context();
    const title = attempt(() => string(sessionManager.getSessionName?.()), undefined);
    const { born, origin } = attempt<ReturnType<typeof lineage>>(() => lineage(sessionManager.getHeader?.(), this.branch()), {});
    this.advisor.announce({
      type: "session",
      session: this.id,
      directory: cwd,
      ...(title ? { title } : {}),
      ...(born === undefined ? {} : { born }),
      ...(origin ? { origin } : {}),
      complete,
    });
  }

  private send(event: SessionEvent): void {
    if (this.advisor.wants(this.id)) this.advisor.send(event);
  }

  private watchCompaction(signal: unknown): void {
    clearTimeout(this.compaction);
    const over = () =>
      aside(async () => {
        clearTimeout(this.compaction);
        if (this.ctx === undefined) return;
        for (const event of this.session.compactionFailed()) this.send(event);
        this.notes.rest();
      });
    this.compaction = later(compactionMs, () => {
      this.notes.human(); // nobody knows, and a wake in a compaction would be lost with it
      over();
    });
    signalOf(signal)?.addEventListener("abort", over, { once: true });
  }

  private branch(): unknown[] {
    return list(this.context().sessionManager.getBranch());
  }

  /** Throws once the session has ended, as pi's own objects do. */
  private context(): PiContext {
    if (this.ctx === undefined) throw new Error("the session has ended");
    return this.ctx;
  }
}
