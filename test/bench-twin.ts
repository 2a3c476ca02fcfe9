// The tools as one would write them for this runtime, with its own RegExp and nothing between
// them and the disk: the baseline of the bench. They walk, leave out and write what ours do.

import * as fs from "node:fs";
import * as path from "node:path";

declare const PROJECT_ROOT: string;

// Ours names them once; a copy here would grow old.
const source = fs.readFileSync(path.join(PROJECT_ROOT, "pkg", "safefs", "ignore.go"), "utf8");
export const builtFolders = [...source.slice(source.indexOf("var builtFolders"), source.indexOf("var metaFolders")).matchAll(/"([^"]+)": true/g)].map(([, name]) => name!);
const built = new Set([...builtFolders, ".git", ".hg", ".svn", ".jj"]);
const credential = /^\.env|\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|kubeconfig)$|^(\.npmrc|\.netrc|_netrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|kubeconfig|opencode\.jsonc?|advisor\.jsonc?)$|_(rsa|dsa|ecdsa|ed25519)$/i;

type Ignored = (rel: string, folder: boolean) => boolean;

/** The plain rules: names, stars, folders, paths from the root. */
function readIgnore(folder: string): Ignored[] {
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder, ".gitignore"), "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const onlyFolder = line.endsWith("/");
      const body = line.replace(/\/$/, "").replace(/^\//, "");
      const anchor = line.replace(/\/$/, "").includes("/") ? "^" : "(^|/)";
      const re = new RegExp(anchor + body.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, "[^/]*").replace(/\?/g, "[^/]") + "$");
      return (rel: string, folder: boolean) => (folder || !onlyFolder) && re.test(rel);
    });
}

/** Calls file for every file in the order of names, until it returns false. */
export function walk(root: string, file: (rel: string) => boolean): void {
  const visit = (rel: string, ignored: Ignored[]): boolean => {
    const entries = fs.readdirSync(rel ? path.join(root, rel) : root, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const at = rel ? `${rel}/${entry.name}` : entry.name;
      const folder = entry.isDirectory();
      if ((folder && built.has(entry.name)) || credential.test(entry.name) || ignored.some((rule) => rule(at, folder))) continue;
      if (folder) {
        if (!visit(at, ignored)) return false;
      } else if (entry.isFile() && !file(at)) return false;
    }
    return true;
  };
  visit("", readIgnore(root));
}

let buffer = Buffer.allocUnsafe(1 << 20);

/** The whole file, or nothing when it is not text. One buffer serves all of them. */
function readText(file: string): string | undefined {
  const fd = fs.openSync(file, "r");
  let size = 0;
  for (;;) {
    const n = fs.readSync(fd, buffer, size, buffer.length - size, size);
    size += n;
    if (size < buffer.length) break;
    buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
  fs.closeSync(fd);
  if (buffer.subarray(0, Math.min(size, 8000)).includes(0)) return undefined;
  return buffer.toString("utf8", 0, size);
}

export interface Counts {
  lines: number;
  bytes: number;
  files: number;
}

/** Looks through whole files and only then at the line, so that no match runs over a line's end. */
export function grep(root: string, expr: string, flags: string, bound: number): Counts {
  const whole = new RegExp(expr, `${flags}gm`);
  const single = new RegExp(expr, flags);
  const counts = { lines: 0, bytes: 0, files: 0 };
  let out = "";
  walk(root, (rel) => {
    const text = readText(path.join(root, rel));
    if (text === undefined) return true;
    counts.files++;
    let line = 1;
    let counted = 0; // up to where line breaks are counted
    whole.lastIndex = 0;
    for (let match = whole.exec(text); match && match.index < text.length; match = whole.exec(text)) {
      const start = text.lastIndexOf("\n", match.index - 1) + 1;
      let end = text.indexOf("\n", match.index);
      if (end < 0) end = text.length;
      const body = text.slice(start, end > start && text[end - 1] === "\r" ? end - 1 : end);
      whole.lastIndex = end + 1;
      if (!single.test(body)) continue;
      for (let i = text.indexOf("\n", counted); i >= 0 && i < start; i = text.indexOf("\n", i + 1)) line++;
      counted = start;
      out += `${rel}:${line}:${body}\n`;
      if (out.length > 60_000) {
        counts.bytes += Buffer.byteLength(out);
        out = "";
      }
      if (++counts.lines === bound) return false;
    }
    return true;
  });
  counts.bytes += Buffer.byteLength(out);
  return counts;
}

/** The first 200 names that match, and how many do. */
export function glob(root: string, re: RegExp): { matches: number; text: string } {
  let matches = 0;
  let text = "";
  walk(root, (rel) => {
    if (re.test(rel) && matches++ < 200) text += `${rel}\n`;
    return true;
  });
  return { matches, text };
}

/** The lines of a file from first to last, counted through one buffer. */
export function readLines(file: string, first: number, last: number): string {
  const fd = fs.openSync(file, "r");
  const chunk = buffer.subarray(0, 512 << 10);
  let line = 1;
  let out = "";
  let rest = "";
  for (let offset = 0; line <= last; ) {
    const n = fs.readSync(fd, chunk, 0, chunk.length, offset);
    if (n === 0) break;
    offset += n;
    let start = 0;
    while (line <= last) {
      const end = chunk.indexOf(10, start);
      if (end < 0 || end >= n) break;
      if (line >= first) out += `${line}\t${rest}${chunk.toString("utf8", start, end)}\n`;
      rest = "";
      start = end + 1;
      line++;
    }
    if (line >= first) rest += chunk.toString("utf8", start, n);
  }
  fs.closeSync(fd);
  return out;
}
