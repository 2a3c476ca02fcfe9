// The recorded traces of hosts, a line for each thing that happened.

import * as fs from "node:fs";
import * as path from "node:path";

declare const PROJECT_ROOT: string;

export interface Line {
  k: string;
  v: unknown;
}

export function traces(host: string): { name: string; file: string; lines: Line[] }[] {
  const folder = path.join(PROJECT_ROOT, "testdata", "traces", host);
  return fs
    .readdirSync(folder)
    .filter((name) => /^[a-z0-9-]+\.jsonl$/.test(name))
    .map((name) => ({
      name: path.basename(name, ".jsonl"),
      file: path.join(folder, name),
      lines: fs
        .readFileSync(path.join(folder, name), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line),
    }));
}
