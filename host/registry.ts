// What all copies of the plugin in one process share. A host may evaluate the
// module twice (a reload, a second entry in the config), so this hangs on the
// global object and not on the module.

import { addBounded } from "./bounded.ts";

/** Notices that are remembered as shown. */
const maxShown = 10_000;

interface Shared {
  version: 1;
  /** Workers given up while their guest still ran. */
  hung: number;
  /** Keys of notices that were shown. */
  shown: Set<string>;
  /** Who runs for a place, and who would take over when that one leaves. */
  places: Map<string, { owner: object; waiting: (() => void)[] }>;
}

const symbol = Symbol.for("opencode-superadvisor");

/** A Bun worker that spins inside wasm cannot be ended: two of them are enough. */
export const maxHung = 2;

export function shared(): Shared {
  const holder = globalThis as { [symbol]?: Shared };
  return (holder[symbol] ??= { version: 1, hung: 0, shown: new Set(), places: new Map() });
}

/**
 * Makes the caller the one advisor of a place (a host kind and a directory). Starts
 * now, or when the present one leaves, as at a reload that sets up the new before it
 * closes the old. Returns how to leave.
 */
export function occupy(place: string, start: () => void): () => void {
  const { places } = shared();
  const owner = {};
  const present = places.get(place);
  const enter = () => {
    places.set(place, { owner, waiting: places.get(place)?.waiting ?? [] });
    start();
  };
  if (present) present.waiting.push(enter);
  else enter();
  return () => {
    const entry = places.get(place);
    if (!entry) return;
    if (entry.owner !== owner) {
      entry.waiting = entry.waiting.filter((waiting) => waiting !== enter);
      return;
    }
    const next = entry.waiting.shift();
    if (next) next();
    else places.delete(place);
  };
}

/** True the first time that a key is asked for in this process. */
export function firstTime(key: string): boolean {
  const { shown } = shared();
  if (shown.has(key)) return false;
  addBounded(shown, key, maxShown);
  return true;
}
