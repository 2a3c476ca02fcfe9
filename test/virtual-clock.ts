// A clock that a script moves.

import type { Clock } from "../host/clock.ts";

export class VirtualClock implements Clock {
  private readonly timers = new Map<string, { at: number; fire: () => void }>();

  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  set(id: string, ms: number, fire: () => void): void {
    this.timers.set(id, { at: this.time + ms, fire });
  }

  clear(id: string): void {
    this.timers.delete(id);
  }

  clearAll(): void {
    this.timers.clear();
  }

  get pending(): number {
    return this.timers.size;
  }

  /** Fires the timer that has been due for longest; false when none is due. */
  fireDue(): boolean {
    let first: string | undefined;
    for (const [id, { at }] of this.timers) {
      if (at > this.time) continue;
      const best = first === undefined ? undefined : this.timers.get(first)!;
      if (!best || at < best.at || (at === best.at && id < first!)) first = id;
    }
    if (first === undefined) return false;
    const { fire } = this.timers.get(first)!;
    this.timers.delete(first);
    fire();
    return true;
  }

  /** Moves to the next timer, or to end when that is earlier. */
  advance(end: number): void {
    let next = end;
    for (const { at } of this.timers.values()) next = Math.min(next, Math.max(at, this.time));
    this.time = next;
  }
}
