// The clock that the guest and its timers go by.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs fire once, ms from now; setting an id again replaces it. */
  set(id: string, ms: number, fire: () => void): void;
  clear(id: string): void;
  clearAll(): void;
}

/** Node's longest timer; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

export class SystemClock implements Clock {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  now(): number {
    return Date.now();
  }

  set(id: string, ms: number, fire: () => void): void {
    this.clear(id);
    const timer = setTimeout(
      () => {
        this.timers.delete(id);
        fire();
      },
      Math.min(Math.max(0, ms), longest),
    );
    this.timers.set(id, timer);
  }

  clear(id: string): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }

  clearAll(): void {
    for (const id of [...this.timers.keys()]) this.clear(id);
  }
}
