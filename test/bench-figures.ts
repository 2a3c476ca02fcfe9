// What the entries of the bench share: medians, and the line that scripts/bench.mjs reads.

import * as fs from "node:fs";

export const runtime = "Bun" in globalThis ? "bun" : "node";

/** A bar holds when got is at most max, or at least min. */
export interface Bar {
  what: string;
  got: number;
  max?: number;
  min?: number;
}

export type Row = Record<string, string | number | boolean>;

export function median(samples: number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

export function round(n: number, digits = 2): number {
  return Number(n.toFixed(digits));
}

/** Milliseconds of the processor, by all threads of this process: a busy machine does not stretch them. */
export function cpu(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds of the processor that the first thread of this process has had; undefined where the system does not say. */
export function threadMs(): number | undefined {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  return fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8").split(" ")[0]) / 1e6 : undefined;
}

/** The last line of an entry's output: its table and its bars. */
export function report(rows: Row[], bars: Bar[]): void {
  console.log(JSON.stringify({ rows, bars }));
}
