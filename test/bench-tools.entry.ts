// grep, glob and read in the guest, beside their twins in JavaScript and ripgrep:
// node bench-tools.entry.js WASM ROOT [rounds]

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Bar, cpu, median, report, round, type Row, runtime } from "./bench-figures.ts";
import { BenchModule } from "./bench-module.ts";
import * as twin from "./bench-twin.ts";

const [wasm, given, rounds = "5"] = process.argv.slice(2);
const root = fs.realpathSync(given!);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-bench-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
const module = new BenchModule(wasm!, root);

/** Literal: every match holds a text of three letters. */
const patterns: { name: string; expr: string; flags?: string; literal: boolean }[] = [
  { name: "rare literal", expr: "errServerClosedIdle", literal: true },
  { name: "func (\\w+)", expr: "func (\\w+)", literal: true },
  { name: "(\\w+\\.)+\\w+\\(ctx", expr: "(\\w+\\.)+\\w+\\(ctx", literal: true },
  { name: "range", expr: "\\b(\\w+)\\s*:=\\s*range\\b", literal: true },
  { name: "ignoring case", expr: "unexpected eof", flags: "i", literal: true },
  { name: "no match", expr: "zzz_never_there", literal: true },
  { name: "lookbehind", expr: "(?<=func )\\w+", literal: true },
  { name: "no literal", expr: "[A-Z]\\w+\\([^)]*\\) \\(", literal: false },
  { name: "every line", expr: "^", literal: false },
];

const hasRipgrep = spawnSync("rg", ["--version"]).status === 0;
if (!hasRipgrep) console.error("bench: ripgrep (rg) is not on the PATH; nothing is compared with it");

/** One search with one thread, in milliseconds of the processor, as bash counts them. */
function ripgrep(expr: string, flags = ""): { ms: number; lines: number } | undefined {
  const leave = twin.builtFolders.flatMap((name) => ["-g", `!${name}/`]);
  const args = ["--no-config", "-j1", "-n", "--no-heading", "-H", "--color=never", "--hidden", "--no-ignore", ...leave, ...(flags ? ["-i"] : []), ...(expr.includes("(?<") ? ["-P"] : []), "-e", expr, "."];
  const out = path.join(scratch, "rg.txt");
  const { stderr } = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time rg "$@" > "$OUT"; exit 0', "rg", ...args], { cwd: root, encoding: "utf8", env: { ...process.env, OUT: out, LC_ALL: "C" } });
  const [user, system] = stderr.trim().split("\n").at(-1)!.split(" ").map(Number);
  const text = fs.readFileSync(out);
  let lines = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lines++;
  return stderr.includes("PCRE2 is not available") ? undefined : { ms: 1000 * (user! + system!), lines };
}

/** Whether a row has enough rounds. What takes a millisecond gets more: its first rounds are the compilers'. */
function enough(done: number, spent: number): boolean {
  return done >= Number(rounds) && (spent >= 250 || done >= 20 * Number(rounds));
}

const rows: Row[] = [];
const bars: Bar[] = [];

for (const { name, expr, flags = "", literal } of patterns) {
  for (const bound of [100, 0]) {
    const all = { ours: [] as number[], js: [] as number[], rg: [] as number[] };
    let ours = { lines: 0, bytes: 0, files: 0 };
    let js = ours;
    let rgLines: number | undefined;
    // The first round is for the compilers of both sides; one that takes this long says enough.
    const tooLong = 10_000;
    let spent = 0;
    for (let i = 0; !enough(all.ours.length, spent); i++) {
      const a = cpu(() => (ours = module.run("each", (flags ? `(?${flags})` : "") + expr, bound)));
      const b = cpu(() => (js = twin.grep(root, expr, flags, bound)));
      const rg = bound === 0 && hasRipgrep ? ripgrep(expr, flags) : undefined;
      if (i === 0 && a + b < tooLong) continue;
      all.ours.push(a);
      all.js.push(b);
      spent += a + b;
      if (rg) {
        all.rg.push(rg.ms);
        rgLines = rg.lines;
      }
      if (i === 0) break;
    }
    const same = ours.lines === js.lines && ours.bytes === js.bytes && ours.files === js.files;
    if (!same) console.error(`bench: ${name}: ours found ${JSON.stringify({ ...ours, text: undefined })}, the twin ${JSON.stringify(js)}`);
    const row: Row = { pattern: name, bound: bound || "none", files: ours.files, lines: ours.lines, ours_ms: round(median(all.ours), 1), js_ms: round(median(all.js), 1), js_over_ours: round(median(all.js.map((ms, k) => ms / all.ours[k]!))), same };
    bars.push({ what: `${runtime}: grep ${name}, bound ${bound || "none"}: the twin's time over ours`, got: row["js_over_ours"] as number, min: literal ? 1 : 0.5 });
    if (all.rg.length > 0) {
      row["ours_over_rg"] = round(median(all.ours.map((ms, k) => ms / all.rg[k]!)));
      row["rg_lines"] = rgLines!;
      bars.push({ what: `${runtime}: grep ${name}: our time over ripgrep's`, got: row["ours_over_rg"], max: 5 });
    }
    rows.push(row);
    console.error(JSON.stringify(row));
  }
}

/** Ours and the twin, each round one after the other; what they found is compared by same. */
function beside(tool: string, ours: () => unknown, js: () => unknown, same: () => boolean): void {
  const all: { ours: number; js: number }[] = [];
  for (let i = 0, spent = 0; !enough(all.length, spent); i++) {
    const pair = { ours: cpu(ours), js: cpu(js) };
    if (i === 0) continue;
    all.push(pair);
    spent += pair.ours + pair.js;
  }
  const ratio = round(median(all.map((pair) => pair.js / pair.ours)));
  rows.push({ pattern: tool, ours_ms: round(median(all.map((pair) => pair.ours)), 1), js_ms: round(median(all.map((pair) => pair.js)), 1), js_over_ours: ratio, same: same() });
  bars.push({ what: `${runtime}: ${tool}: the twin's time over ours`, got: ratio, min: 1 });
}

let names = "";
let found = { matches: 0, text: "" };
beside(
  "glob **/*_test.go",
  () => (names = module.run("glob", '{"pattern":"**/*_test.go"}').text),
  () => (found = twin.glob(root, /(^|\/)[^/]*_test\.go$/)),
  () => names.replaceAll(",", "").startsWith(`${found.matches} names match`) && names.includes(found.text),
);

// A file of 50 MB, of which 201 lines are wanted.
const large = path.join(scratch, "large.txt");
const fd = fs.openSync(large, "w");
for (let from = 1; from < 500_000; from += 10_000) fs.writeSync(fd, Array.from({ length: 10_000 }, (_, i) => `${String(from + i).padStart(7)} ${"one line of a file of fifty megabytes, and as long as a line of code often is, or so".slice(0, 91)}\n`).join(""));
fs.closeSync(fd);
const besideLarge = new BenchModule(wasm!, fs.realpathSync(scratch));
let answer = { text: "", allocated: 0 };
let wanted = "";
beside(
  "read lines 90,000-90,200 of 50 MB",
  () => (answer = besideLarge.run("read", '{"path":"large.txt","offset":90000,"limit":201}')),
  () => (wanted = twin.readLines(large, 90_000, 90_200)),
  () => answer.text.includes(wanted) && wanted.split("\n").length === 202,
);
rows.push({ pattern: "read lines 90,000-90,200 of 50 MB, bytes that the guest allocates", allocated: answer.allocated });
bars.push({ what: `${runtime}: bytes that the guest allocates to read lines 90,000-90,200 of 50 MB`, got: answer.allocated, max: 1 << 20 });
report(rows, bars);
