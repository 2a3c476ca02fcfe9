// What turn 1,000 costs beside turn 10, in several sessions one after the other: node bench-turns.entry.js WASM

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Bar, cpu, median, report, round, type Row, runtime } from "./bench-figures.ts";
import { Player } from "./bench-player.ts";

const [wasm] = process.argv.slice(2);
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-")));
process.on("exit", () => fs.rmSync(root, { recursive: true, force: true }));
const player = new Player(wasm!, root);

// Other sessions first, more than the guest keeps: the compilers of the runtime have settled, and so has the guest's heap.
for (let s = 0; s < 100; s++) for (let n = 0; n < 20; n++) player.turn(`warm${s}`, n);

interface Cost {
  events: number;
  bytes: number;
  billed: number;
  ms: number;
  memory: number;
}
const sessions = Array.from({ length: 8 }, (_, s) =>
  Array.from({ length: 1020 }, (_, n): Cost => {
    const { events, bytesSent, bytesBilled } = player;
    const ms = cpu(() => player.turn(`long${s}`, n));
    return { events: player.events - events, bytes: player.bytesSent - bytesSent, billed: player.bytesBilled - bytesBilled, ms, memory: player.memory };
  }),
);

/** The turns around one, so that no single pause counts, nor where the summary stands between two foldings. */
const around = (n: number, of = sessions) => of.flatMap((costs) => costs.slice(n - Math.min(n - 1, 15), n + Math.min(n - 1, 15)));
const rows: Row[] = [];
const bars: Bar[] = [];
for (const [key, what] of [
  ["events", "events, with what the guest asked and was answered"],
  ["bytes", "bytes sent to the model"],
  ["billed", "the same with a repeated beginning at a tenth"],
  ["memory", "bytes of the guest's memory"],
  ["ms", "milliseconds of the processor"],
] as const) {
  const of = key === "memory" ? sessions.slice(0, 1) : sessions; // which all of them share: what leaks in one is there in the next
  const [early, late] = [10, 1000].map((n) => median(around(n, of).map((cost) => cost[key])));
  const ratio = round(late! / early!, 3);
  rows.push({ what, turn_10: round(early!, 3), turn_1000: round(late!, 3), ratio });
  bars.push({ what: `${runtime}: ${what}, turn 1,000 over turn 10`, got: ratio, max: 1.1 });
}
report(rows, bars);
