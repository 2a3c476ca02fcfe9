// What turn 1,000 costs beside turn 10: node bench-turns.entry.js WASM. Long sessions come near their thousandth turn;
// then each takes its turns about that one by one with those about the tenth of fresh sessions. So whatever
// else the machine and the runtime do meanwhile, they do to both.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Bar, median, report, round, type Row, runtime } from "./bench-figures.ts";
import { Player } from "./bench-player.ts";

const [wasm] = process.argv.slice(2);
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-")));
process.on("exit", () => fs.rmSync(root, { recursive: true, force: true }));
const player = new Player(wasm!, root);

const long = 8;
const fresh = 12; // for each long one
/** Of a fresh session: as many before the tenth as after it, so that it does not count where the summary stands between two foldings. */
const [first, last] = [1, 19];
const before = 1000 - (fresh * (last + 1)) / 2;

// Other sessions first, more than the guest keeps: the compilers of the runtime have settled, and so has the guest's heap.
for (let s = 0; s < 100; s++) for (let n = 0; n < 20; n++) player.turn(`warm${s}`, n);

interface Cost {
  events: number;
  bytes: number;
  billed: number;
  ms: number;
}
function cost(session: string, n: number): Cost {
  const { events, bytesSent, bytesBilled, ms } = player;
  player.turn(session, n);
  return { events: player.events - events, bytes: player.bytesSent - bytesSent, billed: player.bytesBilled - bytesBilled, ms: player.ms - ms };
}

const pairs: { early: Cost; late: Cost }[] = [];
const memory: number[] = []; // at each turn of the first long session; all of them share it, so what leaks in one is there in the next
for (let s = 0; s < long; s++) {
  for (let n = 0; n < before; n++) {
    player.turn(`long${s}`, n);
    if (s === 0) memory.push(player.memory);
  }
  for (let f = 0; f < fresh; f++) {
    for (let n = 0; n <= last; n++) {
      const pair = { early: cost(`fresh${s}-${f}`, n), late: cost(`long${s}`, before + f * (last + 1) + n) };
      if (n >= first) pairs.push(pair);
      if (s === 0) memory.push(player.memory);
    }
  }
}

const rows: Row[] = [];
const bars: Bar[] = [];
const row = (what: string, early: number, late: number, ratio = late / early) => {
  rows.push({ what, turn_10: round(early, 3), turn_1000: round(late, 3), ratio: round(ratio, 3) });
  bars.push({ what: `${runtime}: ${what}, turn 1,000 over turn 10`, got: round(ratio, 3), max: 1.1 });
};
const medians = (key: keyof Cost) => [median(pairs.map(({ early }) => early[key])), median(pairs.map(({ late }) => late[key]))] as const;
row("events, with what the guest asked and was answered", ...medians("events"));
row("bytes sent to the model", ...medians("bytes"));
row("the same with a repeated beginning at a tenth", ...medians("billed"));
row("bytes of the guest's memory", memory[10]!, memory[1000]!);
// Of the pairs' own ratios the middle one: a slow second of the machine is in both turns of a pair.
row("milliseconds of the processor in the guest", ...medians("ms"), median(pairs.map(({ early, late }) => late.ms / early.ms)));
report(rows, bars);
