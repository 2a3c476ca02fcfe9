// A thread that is none: it says at once that its guest is ready, keeps what
// it is told, and lets a test speak for the guest.

import type { Deps } from "../host/advisor.ts";
import type { Thread } from "../host/thread.ts";
import type { HostEffect, ToMain } from "../host/messages.ts";
import type { Event, Ready } from "../host/protocol.gen.ts";

export class Recorder {
  readonly events: Event[] = [];
  /** Batches that came. */
  posts = 0;
  abandoned = false;
  private hear: ((message: ToMain) => void) | undefined;
  private onEvent: (() => void) | undefined;

  constructor(private readonly ready: Partial<Ready> = {}) {}

  readonly deps: Deps = {
    init: { version: "0.0.0", host: "harness", hostVersion: "", directory: "/project", root: "/project", home: "/home", configHome: "/home/.config", dataHome: "/home/.local/share" },
    state: "/state",
    owner: "test 1 1",
    wasm: "guest.wasm",
    spawn: (_, hear): Thread => {
      this.hear = hear;
      const ready: Ready = { type: "ready", version: "0.0.0", origins: [], enabled: true, consult: true, judge: true, judgeTimeoutMs: 1000, consultTimeoutMs: 1000, ...this.ready };
      queueMicrotask(() => hear({ t: "ready", ready, grants: { origins: [], files: [], env: [], providers: [] } }));
      return {
        post: (message) => {
          if (message.t === "events") {
            this.posts++;
            this.events.push(...(structuredClone(message.events) as Event[]));
            queueMicrotask(() => hear({ t: "done", effects: [], bytes: message.bytes }));
            this.onEvent?.();
          } else if (message.t === "close") {
            queueMicrotask(() => hear({ t: "closed" }));
          }
        },
        abandon: () => {
          this.abandoned = true;
        },
      };
    },
  };

  /** The guest asks for something. */
  effect(...effects: HostEffect[]): void {
    this.hear!({ t: "done", effects, bytes: 0 });
  }

  of<T extends Event["type"]>(type: T): Extract<Event, { type: T }>[] {
    return this.events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
  }

  /** Resolves when done holds; looked at after every event that is posted. */
  until(done: () => boolean): Promise<void> {
    const alive = setInterval(() => {}, 60_000);
    return new Promise<void>((resolve) => {
      this.onEvent = () => {
        if (done()) resolve();
      };
      this.onEvent();
    }).finally(() => {
      clearInterval(alive);
      this.onEvent = undefined;
    });
  }
}

/** Lets everything run that waits for nothing outside. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits for what only timers of ours can end, which keep no process alive. */
export async function awake<T>(work: Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 60_000);
  return work.finally(() => clearInterval(alive));
}
