// Where a review's time goes on the worker's thread: run in a worker, it stands around the loader's own parts and adds up
// in shared memory how long each of them worked. What one part does inside another counts for the inner one.

import { Files } from "../host/fs.ts";
import { Guest } from "../host/guest.ts";
import { Http } from "../host/http.ts";
import { Server } from "../host/serve.ts";
import { Store } from "../host/store.ts";

/** Parts by their slot. Idle is what is left: the worker waits for the main thread. */
export const parts = ["idle", "guest", "files", "store", "http", "loader"] as const;
export type Part = (typeof parts)[number];
/** Behind the parts: calls into the guest, and saves. */
export const slots = { calls: parts.length, saves: parts.length + 1, count: parts.length + 2 };

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Measures into spent, from now on and until the thread ends. */
export function measure(spent: Float64Array): void {
  let open = 0; // requests: the thread waits for the model, or works through its answer
  let now: Part | undefined;
  let since = performance.now();
  const turn = (next: Part | undefined) => {
    const at = performance.now();
    spent[parts.indexOf(now ?? (open > 0 ? "http" : "idle"))]! += at - since;
    since = at;
    const before = now;
    now = next;
    return before;
  };
  const around = (type: { prototype: object }, part: Part, names: string[], slot?: number) => {
    const methods = type.prototype as Record<string, Method>;
    for (const name of names) {
      const method = methods[name];
      if (!method) throw new Error(`bench: there is no ${name} to measure`);
      methods[name] = function (...args) {
        if (slot !== undefined) spent[slot]!++;
        const before = turn(part);
        try {
          return method.apply(this, args);
        } finally {
          turn(before);
        }
      };
    }
  };
  around(Guest, "guest", ["call"], slots.calls);
  around(Files, "files", ["stat", "real", "read", "list", "release"]);
  around(Store, "store", ["load", "claim", "tally", "append"]);
  around(Store, "store", ["save"], slots.saves);
  around(Http, "http", ["send"]);
  around(Server, "loader", ["receive", "hear", "pump"]);
  const network = Http.prototype as unknown as { run(...args: unknown[]): Promise<unknown> };
  const { run } = network;
  network.run = async function (...args) {
    turn(now);
    open++;
    try {
      return await run.apply(this, args);
    } finally {
      turn(now);
      open--;
    }
  };
}
