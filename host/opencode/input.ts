// What others wrote, bounded: arguments of tool calls (a write tool carries whole files), and options.

import { cutMiddle } from "../text.ts";

interface Bounds {
  bytes: number;
  string: number;
  nodes: number;
  /** Deeper is left out; the guest itself reads no deeper than 256. */
  depth: number;
}

const shown: Bounds = { bytes: 64 * 1024, string: 16 * 1024, nodes: 2_000, depth: 32 };
/** What is judged is judged whole: the guest's own bounds are below these. */
const judged: Bounds = { bytes: 4 * 1024 * 1024, string: 1024 * 1024, nodes: 20_000, depth: 64 };

/** The value itself when it is small, else a copy with long texts cut in the middle. */
export function boundInput(value: unknown): unknown {
  return bound(value, shown).value;
}

/** The input of a tool that is to be judged, and whether anything of it is missing. */
export function boundAsk(value: unknown): { value: unknown; cut: boolean } {
  return bound(value, judged);
}

/** The options of the plugin: what lies deeper than any setting, or is longer, is left out. */
export function boundOptions(value: unknown): unknown {
  return bound(value, judged).value;
}

function bound(value: unknown, bounds: Bounds): { value: unknown; cut: boolean } {
  const size: Size = { bytes: 0, nodes: 0, odd: false };
  const fits = measure(value, size, 0, bounds);
  if (fits && !size.odd) return { value, cut: false };
  return { value: plain(value, { nodes: 0, odd: true }, 0, fits ? { ...bounds, string: Infinity } : bounds), cut: !fits };
}

interface Size {
  bytes: number;
  nodes: number;
  odd: boolean; // not JSON: it cannot be handed to a thread, or is another thing there
}

function measure(value: unknown, size: Size, depth: number, bounds: Bounds): boolean {
  if (++size.nodes > bounds.nodes || depth > bounds.depth) return false;
  if (typeof value === "string") {
    size.bytes += value.length;
    return size.bytes <= bounds.bytes;
  }
  size.odd ||= isOdd(value);
  if (typeof value !== "object" || value === null) return true;
  if (lengthOf(value) > bounds.nodes) return false;
  return keysOf(value, size).every((key) => measure(read(value, key, size), size, depth + 1, bounds));
}

/** A copy that can be handed to a thread and written as JSON. */
function plain(value: unknown, size: Pick<Size, "nodes" | "odd">, depth: number, bounds: Bounds): unknown {
  if (typeof value === "string") return cutMiddle(value, bounds.string, (cut) => `\n[the advisor left out ${cut} characters]\n`).text;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= bounds.depth) return null;
  if (isArray(value)) {
    const kept = Array.from({ length: Math.min(value.length, bounds.nodes) }, (_, at) => at);
    return kept.map((at) => (++size.nodes > bounds.nodes ? null : plain(read(value, at, size), size, depth + 1, bounds)));
  }
  const copy: [string, unknown][] = [];
  for (const key of lengthOf(value) > bounds.nodes ? [] : keysOf(value, size)) {
    if (++size.nodes > bounds.nodes) break;
    copy.push([key, plain(read(value, key, size), size, depth + 1, bounds)]);
  }
  return Object.fromEntries(copy); // "__proto__" is a key like any other
}

function isOdd(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint" || typeof value === "function" || typeof value === "symbol";
  try {
    const kind: unknown = Object.getPrototypeOf(value);
    return (kind !== Object.prototype && kind !== Array.prototype && kind !== null) || "toJSON" in value;
  } catch {
    return true;
  }
}

/** Of an array or of bytes, whose keys are not asked for when they are many. */
function lengthOf(value: object): number {
  return isArray(value) ? value.length : ArrayBuffer.isView(value) ? value.byteLength : 0;
}

/** Of a proxy that was revoked nothing can be asked. */
function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function keysOf(value: object, size: Pick<Size, "odd">): string[] {
  try {
    return Object.keys(value);
  } catch {
    size.odd = true;
    return [];
  }
}

/** What throws when it is read is not there. */
function read(value: object, key: string | number, size: Pick<Size, "odd">): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch {
    size.odd = true;
    return undefined;
  }
}
