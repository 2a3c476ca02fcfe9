// The judge's decision log: one file, where the person wants it, nobody else's to read.

import * as fs from "node:fs";
import * as path from "node:path";

/** The file is moved aside at this size, and one older part is kept. */
export const maxRecordBytes = 50 * 1024 * 1024;

/** Adds one line. Throws what the disk says. */
export function appendRecord(file: string, line: string, maxBytes = maxRecordBytes): void {
  if (!path.isAbsolute(file)) throw new Error(`${file} is not an absolute path`);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const text = `${line.replace(/[\r\n]+/g, " ")}\n`;
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 && size + Buffer.byteLength(text) > maxBytes) fs.renameSync(file, `${file}.1`);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | (O_NONBLOCK ?? 0), 0o600);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new Error(`${file} is not a regular file`);
    if ((stat.mode & 0o077) !== 0) fs.fchmodSync(fd, 0o600);
    fs.appendFileSync(fd, text);
  } finally {
    fs.closeSync(fd);
  }
}
