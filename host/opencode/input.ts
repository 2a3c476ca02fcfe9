// Arguments of the primary's tool calls, bounded: a write tool carries whole files.

import { cutMiddle } from "../text.ts";

const maxBytes = 64 * 1024;
const maxString = 16 * 1024;
const maxNodes = 2_000;
/** Deeper is left out; the guest itself reads no deeper than 256. */
const maxDepth = 32;

/** The value itself when it is small, else a copy with long texts cut in the middle. */
export function boundInput(value: unknown): unknown {
  const size = { bytes: 0, nodes: 0 };
  return measure(value, size, 0) ? value : shrink(value, { nodes: 0 }, 0);
}

function measure(value: unknown, size: { bytes: number; nodes: number }, depth: number): boolean {
  if (++size.nodes > maxNodes || depth > maxDepth) return false;
  if (typeof value === "string") {
    size.bytes += value.length;
    return size.bytes <= maxBytes;
  }
  if (typeof value !== "object" || value === null) return true;
  for (const item of Object.values(value)) if (!measure(item, size, depth + 1)) return false;
  return true;
}

function shrink(value: unknown, size: { nodes: number }, depth: number): unknown {
  if (typeof value === "string") return cutMiddle(value, maxString, (cut) => `\n[the advisor left out ${cut} characters]\n`).text;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return null;
  if (Array.isArray(value)) return value.slice(0, maxNodes).map((item) => (++size.nodes > maxNodes ? null : shrink(item, size, depth + 1)));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (++size.nodes > maxNodes) break;
    copy[key] = shrink(item, size, depth + 1);
  }
  return copy;
}
