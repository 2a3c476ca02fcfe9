// grep, glob and read in the guest, beside their twins in JavaScript and ripgrep:
// node bench-grep.entry.js WASM ROOT [rounds]

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

const rows: Row[] = [];
const bars: Bar[] = [];

for (const { name, expr, flags = "", literal } of patterns) {
  for (const bound of [100, 0]) {
    const all = { ours: [] as number[], js: [] as number[], rg: [] as number[] };
    let ours = { lines: 0, bytes: 0, files: 0 };
    let js = ours;
    let rgLines: number | undefined;
    // The first round is for the compilers of both sides.
    for (let i = 0; i <= Number(rounds); i++) {
      const a = cpu(() => (ours = module.run("each", (flags ? `(?${flags})` : "") + expr, bound)));
      const b = cpu(() => (js = twin.grep(root, expr, flags, bound)));
      const rg = bound === 0 && hasRipgrep ? ripgrep(expr, flags) : undefined;
      if (i === 0) continue;
      all.ours.push(a);
      all.js.push(b);
      if (rg) {
        all.rg.push(rg.ms);
        rgLines = rg.lines;
      }
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
report(rows, bars);
