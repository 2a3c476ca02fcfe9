// Events on their way to the guest: a batch for each session, posted when a step or
// turn ends, when it is large, or after a moment; never within the host's own
// call, because posting copies. What does not fit is dropped, and the guest is
// told that something is missing.

import { addBounded, setBounded } from "./bounded.ts";
import type { Event, Session } from "./protocol.gen.ts";
import { later } from "./timers.ts";
import { weigh } from "./weigh.ts";

/** Events wait this long for a step's end before they are posted all the same. */
const flushMs = 200;
/** A batch is posted when it reaches this size: posting copies, and a copy must stay short. */
const flushBytes = 128 * 1024;
/** Posted and not yet taken by the guest. */
const maxUnderWay = 16 * 1024 * 1024;
/** Sessions whose facts are kept for a fresh guest. */
const maxSessions = 1_000;
const maxIgnored = 10_000;

const boundary: ReadonlySet<Event["type"]> = new Set<Event["type"]>(["user", "step_end", "turn_end", "compacted", "reverted", "closed", "receipt", "decided"]);

interface Box {
  facts: Session;
  batch: Event[];
  bytes: number;
  announced: boolean; // the present guest knows it
  fresh: boolean; // the facts are news by themselves, also without an event
}

export class Mailbox {
  private readonly boxes = new Map<string, Box>();
  private readonly ignored = new Set<string>();
  private underWay = 0;
  private timer: NodeJS.Timeout | undefined;
  private immediate: NodeJS.Immediate | undefined;
  private readonly due = new Set<Box>(); // to be posted once the host's call is over
  private post: ((events: Event[], bytes: number) => void) | undefined;

  /** Guard runs what timers start. */
  constructor(private readonly guard: (act: () => void) => void) {}

  /** Where batches go from now on; undefined while there is nobody to take them. */
  connect(post: ((events: Event[], bytes: number) => void) | undefined): void {
    this.post = post;
    this.underWay = 0;
  }

  knows(session: string): boolean {
    return this.boxes.has(session);
  }

  ignores(session: string): boolean {
    return this.ignored.has(session);
  }

  ignore(session: string): void {
    addBounded(this.ignored, session, maxIgnored);
    this.boxes.delete(session);
  }

  announce(facts: Session): void {
    this.flushSoon();
    const box = this.boxes.get(facts.session);
    if (box) {
      box.facts = facts;
      box.announced = false;
      box.fresh = true;
      return;
    }
    const forgotten = setBounded(this.boxes, facts.session, { facts, batch: [], bytes: 0, announced: false, fresh: true }, maxSessions);
    for (const old of forgotten) this.flushNext(old);
  }

  /** Takes an event of a session that was announced; others are nobody's. */
  put(event: Event & { session: string }): void {
    const box = this.boxes.get(event.session);
    if (event.type === "closed") {
      this.ignored.delete(event.session);
      this.boxes.delete(event.session);
    }
    if (!box) return;
    box.batch.push(event);
    box.bytes += weigh(event);
    if (boundary.has(event.type) || box.bytes >= flushBytes) this.flushNext(box);
    else this.flushSoon();
  }

  flush(session: string): void {
    const box = this.boxes.get(session);
    if (box) this.flushBox(box);
  }

  flushAll(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushDue();
    for (const box of this.boxes.values()) this.flushBox(box);
  }

  /** The guest has taken so many bytes. */
  taken(bytes: number): void {
    this.underWay = Math.max(0, this.underWay - bytes);
  }

  /** A fresh guest: it knows no session, and what was under way is lost. */
  renew(): void {
    for (const box of this.boxes.values()) missing(box);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due.clear();
    this.boxes.clear();
    this.ignored.clear();
  }

  private flushSoon(): void {
    this.timer ??= later(flushMs, () => this.guard(() => this.flushAll()));
  }

  private flushNext(box: Box): void {
    this.due.add(box);
    this.immediate ??= setImmediate(() => this.guard(() => this.flushDue()));
  }

  private flushDue(): void {
    clearImmediate(this.immediate);
    this.immediate = undefined;
    for (const box of this.due) this.flushBox(box);
    this.due.clear();
  }

  private flushBox(box: Box): void {
    if (!this.post || (!box.fresh && box.batch.length === 0)) return;
    const { batch, bytes } = box;
    box.batch = [];
    box.bytes = 0;
    box.fresh = false;
    if (this.underWay + bytes > maxUnderWay) {
      missing(box); // the guest does not keep up
      return;
    }
    const events: Event[] = box.announced ? batch : [box.facts, ...batch];
    box.announced = true;
    this.underWay += bytes;
    this.post(events, bytes);
  }
}

function missing(box: Box): void {
  box.facts = { ...box.facts, complete: false };
  box.announced = false;
}
