// How notes reach a pi session. pi takes any message for a busy session as a reason for one more
// request, so that silent notes wait until it is idle; and it hands over one queued message a
// request, so that what waits together is put as one.

import { addBounded, setBounded } from "../bounded.ts";
import { type Json, object } from "../opencode/json.ts";
import type { Deliver, Receipt } from "../protocol.gen.ts";
import { describe } from "../text.ts";
import { later } from "../timers.ts";
import { notesOf, noteType, type PiSession, type SessionEvent } from "./events.ts";
import type { PiApi, PiContext } from "./types.ts";

/** Notes that wait for their session to become idle. */
const maxHeld = 32;
/** Deliveries that are remembered. */
const maxRemembered = 2_000;
/** pi says that a run has ended before it is idle, and has no event for that. */
const pollMs = 25;
const ranks: Record<string, number> = { nit: 1, concern: 2, blocker: 3 };

export class PiNotes {
  private held: Deliver[] = [];
  private steered = new Map<string, Deliver>(); // handed to the present run, and not yet taken by it
  private readonly known = new Set<string>();
  private readonly unseen = new Set<string>(); // put, and not yet in front of the model
  private immediate: NodeJS.Immediate | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly pi: PiApi,
    private readonly session: PiSession,
    private readonly context: () => PiContext,
    private readonly send: (event: SessionEvent) => void,
  ) {}

  deliver(effect: Deliver): Pick<Receipt, "state" | "woke" | "detail"> {
    if (this.closed) return { state: "refused", detail: "the session is closed" };
    if (this.known.has(effect.id)) return { state: "admitted" };
    if (this.held.length >= maxHeld) return { state: "refused", detail: "too many notes wait for the end of the run" };
    addBounded(this.known, effect.id, maxRemembered);
    this.held.push(effect);
    this.immediate ??= setImmediate(() => this.flush()); // with what else this review says
    return { state: "admitted", ...(effect.wake && this.mayWake ? { woke: true } : {}) };
  }

  /** A person has spoken: what was to wake for an earlier message wakes no more. */
  human(): void {
    this.held = this.held.map(quiet);
    this.steered = new Map([...this.steered].map(([id, effect]) => [id, quiet(effect)]));
  }

  /** The run has ended, or the compaction. */
  rest(): void {
    if (this.session.ended === "interrupted") this.human();
    this.flush();
  }

  /** A message of the session: one of ours is no longer under way. */
  started(message: Json): void {
    for (const id of notesOf(message) ?? []) this.steered.delete(id);
  }

  /**
   * The messages of a request, in front of the model. A note that was stranded in a queue and put again
   * stands there twice: gives the messages without the second one, or undefined when all is well.
   */
  before(messages: unknown[]): unknown[] | undefined {
    const met = new Set<string>();
    const kept = messages.filter((message) => {
      const ids = notesOf(object(message)) ?? [];
      const again = ids.length > 0 && ids.every((id) => met.has(id));
      for (const id of ids) met.add(id);
      return !again;
    });
    for (const id of met) {
      if (this.unseen.delete(id)) this.send({ type: "receipt", session: this.session.id, id, state: "seen" });
    }
    return kept.length < messages.length ? kept : undefined;
  }

  /** What still waits is stored, without waking anybody: pi would run no more. */
  close(): void {
    if (this.closed) return;
    const last = [...this.steered.values(), ...this.held].map(quiet);
    this.steered.clear();
    this.held = [];
    if (last.length > 0 && !this.session.compacting && !this.session.running) this.put(last, {});
    this.closed = true;
    clearImmediate(this.immediate);
    clearTimeout(this.timer);
  }

  private get mayWake(): boolean {
    return this.session.ended === "ok" && !this.session.compacting;
  }

  private flush(): void {
    this.immediate = undefined;
    clearTimeout(this.timer);
    this.timer = undefined;
    const { session } = this;
    if (this.closed || session.compacting || (this.held.length === 0 && this.steered.size === 0)) return;
    try {
      if (session.running) {
        this.steer();
        this.giveBack();
      }
      else if (!this.context().isIdle()) this.timer = later(pollMs, () => this.flush());
      // pi may try again after an error, and takes back the last message when it does.
      else if (session.ended !== "failed") this.atRest();
    } catch {
      // The session ended a moment ago.
    }
  }

  /** A note that is to wake goes into the run that is under way, and takes the others along. */
  private steer(): void {
    const { held } = this;
    if (!this.mayWake || !held.some(({ wake }) => wake)) return;
    this.held = [];
    for (const effect of held) setBounded(this.steered, effect.id, effect, maxHeld);
    this.put(held, { deliverAs: "steer" });
  }

  /** Silent notes cannot be put before the run has ended: they are sent again then, if they still hold. */
  private giveBack(): void {
    const silent = this.held.filter(({ wake }) => !wake);
    this.held = this.held.filter(({ wake }) => wake);
    this.tellHeld(silent);
  }

  /** The session ends: a run or a compaction takes nothing any more. What waits is sent again when the session is opened again. */
  leave(): void {
    if (this.closed || (!this.session.running && !this.session.compacting)) return;
    this.tellHeld([...this.steered.values(), ...this.held]);
    this.steered.clear();
    this.held = [];
  }

  private tellHeld(effects: Deliver[]): void {
    for (const { id } of effects) {
      this.known.delete(id);
      this.send({ type: "receipt", session: this.session.id, id, state: "held" });
    }
  }

  private atRest(): void {
    // A steer that came too late for its run is stranded in pi's queue until the next one.
    const all = [...this.steered.values(), ...this.held];
    this.steered.clear();
    this.held = [];
    this.put(all, { triggerTurn: this.mayWake && all.some(({ wake }) => wake) });
  }

  private put(effects: Deliver[], options: { deliverAs?: "steer"; triggerTurn?: boolean }): void {
    const severity = effects.reduce((most, { severity }) => ((ranks[severity] ?? 0) > (ranks[most] ?? 0) ? severity : most), "");
    try {
      this.pi.sendMessage(
        {
          customType: noteType,
          content: effects.map(({ text }) => text).join("\n\n"),
          display: true,
          details: { advisor: true, ids: effects.map(({ id }) => id), severity, notes: effects.flatMap(({ notes }) => notes ?? []) },
        },
        options,
      );
    } catch (error) {
      for (const { id } of effects) this.send({ type: "receipt", session: this.session.id, id, state: "refused", detail: describe(error) });
      return;
    }
    for (const { id, text, description, severity, toast } of effects) {
      if (this.unseen.has(id)) continue; // put again
      addBounded(this.unseen, id, maxRemembered);
      this.send({ type: "user", session: this.session.id, id, text, advisor: true });
      if (toast) this.alert(description, severity);
    }
  }

  private alert(text: string, severity: string): void {
    try {
      const { hasUI, ui } = this.context();
      if (hasUI) ui.notify(text, severity === "blocker" ? "error" : "warning");
    } catch {
      // The note itself was put.
    }
  }
}

function quiet(effect: Deliver): Deliver {
  return effect.wake ? { ...effect, wake: false } : effect;
}
