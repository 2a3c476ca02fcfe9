// Finds out that a call into the guest has run for too long. The numbers of calls stand
// in memory that both threads share, because a host that keeps this thread busy
// leaves the worker's messages unheard just as well as a guest that hangs.

import { flagBusy, flagCount, flagInterrupt } from "./messages.ts";
import { later } from "./timers.ts";

export interface Limits {
  /** A call is milliseconds; the longest regular ones, a grep through a large tree, are below two seconds. */
  callMs: number;
  /** Between asking a call to stop and giving its worker up. */
  graceMs: number;
  /** A slow disk, a cold compile of the module. */
  startMs: number;
}

export class Watch {
  /** Shared with the worker. */
  readonly flags = new Int32Array(new SharedArrayBuffer(4 * flagCount));
  private timer: NodeJS.Timeout | undefined;
  private call = 0; // the one that is watched, 0: none has been seen yet
  private heard = false;

  constructor(
    private readonly limits: Limits,
    /** The worker never said a word. */
    private readonly silent: () => void,
    /** A call neither ended nor heard that it should. */
    private readonly hung: () => void,
  ) {
    this.timer = later(limits.startMs, () => this.overdue());
  }

  /** The worker has said something. */
  hear(): void {
    this.heard = true;
  }

  began(call: number): void {
    this.arm(call);
  }

  ended(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Something was posted: a call is to begin. */
  expect(): void {
    if (this.timer === undefined) this.arm(0);
  }

  private arm(call: number): void {
    clearTimeout(this.timer);
    this.call = call;
    this.timer = later(this.limits.callMs, () => this.overdue());
  }

  private overdue(): void {
    this.timer = undefined;
    const running = Atomics.load(this.flags, flagBusy);
    if (!this.heard) {
      // Messages that came meanwhile are heard before the next turn of the event loop.
      setImmediate(() => {
        if (!this.heard) this.silent();
      });
    } else if (running !== 0 && running === this.call) {
      Atomics.store(this.flags, flagInterrupt, running);
      this.timer = later(this.limits.graceMs, () => {
        this.timer = undefined;
        if (Atomics.load(this.flags, flagBusy) === running) this.hung();
      });
    } else if (running !== 0) {
      this.arm(running);
    }
  }
}
