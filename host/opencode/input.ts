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
  const fits = measure(value, { bytes: 0, nodes: 0 }, 0, bounds);
  return { value: fits ? value : shrink(value, { nodes: 0 }, 0, bounds), cut: !fits };
}

function measure(value: unknown, size: { bytes: number; nodes: number }, depth: number, bounds: Bounds): boolean {
  if (++size.nodes > bounds.nodes || depth > bounds.depth) return false;
  if (typeof value === "string") {
    size.bytes += value.length;
    return size.bytes <= bounds.bytes;
  }
  if (typeof value !== "object" || value === null) return true;
  for (const item of Object.values(value)) if (!measure(item, size, depth + 1, bounds)) return false;
  return true;
}

function shrink(value: unknown, size: { nodes: number }, depth: number, bounds: Bounds): unknown {
  if (typeof value === "string") return cutMiddle(value, bounds.string, (cut) => `\n[the advisor left out ${cut} characters]\n`).text;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= bounds.depth) return null;
  if (Array.isArray(value)) return value.slice(0, bounds.nodes).map((item) => (++size.nodes > bounds.nodes ? null : shrink(item, size, depth + 1, bounds)));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (++size.nodes > bounds.nodes) break;
    copy[key] = shrink(item, size, depth + 1, bounds);
  }
  return copy;
}
