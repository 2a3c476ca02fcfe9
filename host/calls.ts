// Questions to the guest for which a host waits: each ends once, by its answer, by
// its deadline, or when whoever asked has given it up.

import { randomBytes } from "node:crypto";

/** Open at once; a host that asks more has lost its way. */
const maxOpen = 64;

export interface Answered {
  text: string;
  failed?: boolean;
  details?: unknown;
}

export interface Decided {
  effect: string;
  message?: string;
}

export type Ending = Answered | Decided;

export class Calls {
  private readonly open = new Map<string, (ending: Ending) => void>();
  private last = 0;

  /** A fresh id. */
  id(): string {
    return `${++this.last}_${randomBytes(6).toString("hex")}`;
  }

  /** Ask poses the question, takeBack tells that nobody waits any more. Never rejects. */
  start<T extends Ending>(id: string, limitMs: number, fallback: T, ask: () => void, takeBack: () => void, signal?: AbortSignal): Promise<T> {
    if (this.open.size >= maxOpen || this.open.has(id)) return Promise.resolve(fallback);
    return new Promise((resolve) => {
      const finish = (ending: Ending) => {
        if (!this.open.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(ending as T); // the guest answers a question with its own kind of ending
      };
      const abort = () => {
        if (this.open.has(id)) takeBack();
        finish(fallback);
      };
      const timer = setTimeout(abort, limitMs); // the host waits, and pi -p would end where nothing holds it
      this.open.set(id, finish);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
      else ask();
    });
  }

  end(id: string, ending: Ending): void {
    this.open.get(id)?.(ending);
  }

  /** Ends all of them: the person is asked, and a text says why there is no answer. */
  endAll(text: string): void {
    for (const finish of [...this.open.values()]) finish({ effect: "ask", text, failed: true });
  }
}
