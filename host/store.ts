// What outlives a process: the state of sessions, claims, leases and logs, all in one
// folder of ours. Every failure is an answer, never a throw: a folder that
// cannot be written costs memory of restarts and the right to wake, nothing else.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { Lease, remove } from "./lease.ts";
import type { RecordedCall } from "./protocol.gen.ts";
import { describe } from "./text.ts";

/** Stored sessions; the least recently used go first. */
const maxSessions = 200;
/** A state is a few hundred kilobytes at most; what is larger is not ours. */
const maxStateBytes = 8 * 1024 * 1024;
/** A log is moved aside at this size, and one older part is kept. */
const maxLogBytes = 2 * 1024 * 1024;
const maxLogLine = 64 * 1024;
/** Claims are tiny; old ones go when there are many, long after their session can still be open. */
const maxClaims = 2000;
const dayMs = 24 * 60 * 60 * 1000;
const claimLifeMs = 90 * dayMs;

/** Of the session's digest, in front of the claim's name: the claims of a session are found by it. */
const claimPrefix = 32;
/** A recording ends at this size; a long day of work is some megabytes. */
const maxRecordingBytes = 32 * 1024 * 1024;
const maxRecordings = 10;

/** A day's ledger has a line of some 60 bytes for each request; older days are of no more use than to look at. */
const maxLedgerBytes = 16 * 1024 * 1024;
const maxLedgerRead = 1024 * 1024;
const maxLedgerLine = 200;
const maxLedgers = 40;

/** Some thousand wishes; nobody leaves as many for one session. */
const maxWishBytes = 256 * 1024;

const folders = ["sessions", "leases", "logs", "ledgers", "recordings", "wishes"];
const claimFolder = "claims";
/** Made with the folder of claims, and gone with it: by its identity the folder is known for the same. */
const claimMark = "made";

const claimKey = /^[0-9a-f]{32}$/;
const logName = /^[a-z]{1,20}$/;
const ledgerName = /^\d{4}-\d{2}-\d{2}$/;

export interface Loaded {
  state?: unknown;
  /** Of the origin, when nothing is stored of the session itself. */
  inherited?: unknown;
  failure?: string;
  reviewer: boolean;
}

/** What stands in a file of lines from a byte on; next is the byte behind the last whole line. */
export interface Lines {
  text?: string;
  next?: number;
  failure?: string;
}

export class Store {
  /** Why the folder cannot be written, from when that was seen until a state is written again: a disk may be full for a while. */
  unwritable: string | undefined;
  private told = false;

  private readonly memory = new Map<string, string>(); // states, while the folder cannot be written
  private readonly lease: Lease;
  private saves = 0;
  private recording: { file: string; bytes: number } | undefined;
  private readonly claims: string | undefined; // the folder of claims as this process has met it

  /**
   * Owner names this process in leases; onUnwritable is called once, with the reason. Later: another thread of the process has
   * had the folder before.
   */
  constructor(
    readonly folder: string,
    private readonly owner: string,
    private readonly onUnwritable: (reason: string) => void = () => {},
    later = false,
  ) {
    this.lease = new Lease(path.join(folder, "leases"), owner);
    this.writing(() => this.make(folders));
    if (!later) this.writing(() => this.makeClaims());
    this.claims = this.claimsNow();
  }

  private makeClaims(): void {
    this.make([claimFolder]);
    try {
      fs.closeSync(fs.openSync(path.join(this.folder, claimFolder, claimMark), "wx", 0o600));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }

  /** The present folder of claims; undefined when there is none. */
  private claimsNow(): string | undefined {
    try {
      const { ino, mtimeNs } = fs.lstatSync(path.join(this.folder, claimFolder, claimMark), { bigint: true });
      return `${ino} ${mtimeNs}`;
    } catch {
      return undefined;
    }
  }

  private make(names: string[]): void {
    for (const name of names) fs.mkdirSync(path.join(this.folder, name), { recursive: true, mode: 0o700 });
  }

  /** The stored state of a session, or of what it was forked from, and whether this process may review it. */
  load(session: string, origin?: string): Loaded {
    const loaded = this.read(session);
    if (!origin || loaded.state !== undefined || loaded.failure !== undefined) return loaded;
    const inherited = this.peek(origin);
    return inherited === undefined ? loaded : { ...loaded, inherited };
  }

  /** The stored state of a session that is not taken up here. */
  private peek(session: string): unknown {
    try {
      return JSON.parse(this.memory.get(session) ?? readSmall(this.sessionFile(session)));
    } catch {
      return undefined;
    }
  }

  private read(session: string): Loaded {
    const reviewer = this.unwritable !== undefined || this.lease.take(digest(session));
    const kept = this.memory.get(session);
    if (kept !== undefined) return { state: JSON.parse(kept), reviewer };
    const file = this.sessionFile(session);
    let text: string;
    try {
      text = readSmall(file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return { reviewer };
      return { reviewer, failure: `read state: ${describe(error)}; ${this.setAside(file)}` };
    }
    try {
      const state: unknown = JSON.parse(text);
      touch(file); // least recently used counts from the last load, not the last change
      return { state, reviewer };
    } catch {
      return { reviewer, failure: `read state: the file is not JSON; ${this.setAside(file)}` };
    }
  }

  /** Returns why it failed, or undefined. The state is kept in memory then. */
  save(session: string, state: unknown): string | undefined {
    const text = JSON.stringify(state);
    if (Buffer.byteLength(text) > maxStateBytes) return `save state: larger than ${maxStateBytes} bytes`;
    const failure = this.writing(() => replaceFile(this.sessionFile(session), text));
    if (failure === undefined) {
      this.unwritable = undefined;
      this.memory.delete(session);
      if (this.saves++ % 32 === 0) this.prune();
      return undefined;
    }
    this.memory.delete(session); // to the end of the order
    this.memory.set(session, text);
    for (const oldest of this.memory.keys()) {
      if (this.memory.size <= maxSessions) break;
      this.memory.delete(oldest);
    }
    return `save state: ${failure}`;
  }

  /** Removes the stored state. Kept: it is out of the way, and the session goes on under the same lease. */
  forget(session: string, keep = false): void {
    this.memory.delete(session);
    if (keep) {
      this.setAside(this.sessionFile(session));
      return;
    }
    this.lease.release(digest(session));
    for (const file of [this.sessionFile(session), this.wishFile(session)]) this.writing(() => fs.rmSync(file, { force: true }));
  }

  /** Lets another process review the session. */
  release(session: string): void {
    this.lease.release(digest(session));
  }

  /**
   * Grants one wake. The file's existence is the claim, and only its creator
   * has it; a claim that cannot be written down is refused. Other is when another process
   * last claimed one of this session; it is looked for after the claim stands, so
   * that of two that claim at once one sees the other.
   */
  claim(session: string, key: string): { granted: boolean; reason?: string; other?: number } {
    if (!claimKey.test(key)) return { granted: false, reason: "invalid" };
    if (this.unwritable !== undefined) return { granted: false, reason: "unwritable" };
    const prefix = digest(session).slice(0, claimPrefix);
    const file = path.join(this.folder, claimFolder, `${prefix}.${key}`);
    let taken = false;
    const failure = this.writing(() => {
      try {
        const fd = fs.openSync(file, "wx", 0o600);
        try {
          fs.writeSync(fd, `${this.owner}\n${Date.now()}\n`);
          fs.fsyncSync(fd); // the wake may crash the machine that grants it
        } finally {
          fs.closeSync(fd);
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        taken = true;
      }
    });
    if (failure !== undefined) return { granted: false, reason: "unwritable" };
    if (taken) return { granted: false, reason: "taken" };
    // Removed, and made again by a process that began since: what was claimed before nobody knows.
    if (this.claims === undefined || this.claimsNow() !== this.claims) return { granted: false, reason: "removed" };
    let other = 0;
    const unread = this.writing(() => {
      for (const name of fs.readdirSync(path.dirname(file))) {
        if (name.startsWith(`${prefix}.`) && name !== path.basename(file)) other = Math.max(other, this.claimedAt(path.join(path.dirname(file), name)));
      }
    });
    if (unread !== undefined) return { granted: false, reason: "unreadable" };
    return { granted: true, ...(other > 0 ? { other } : {}) };
  }

  /** When another process made a claim; 0 for one of ours. One that is being written is somebody else's. */
  private claimedAt(file: string): number {
    const [owner, at] = readSmall(file).split("\n");
    if (owner === this.owner) return 0;
    return Number(at) || fs.statSync(file).mtimeMs;
  }

  /** Adds one line to a log; line breaks inside become spaces. */
  append(log: string, line: string): void {
    if (this.unwritable !== undefined || !logName.test(log)) return;
    const file = path.join(this.folder, "logs", `${log}.log`);
    this.writing(() => {
      const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > maxLogBytes) fs.renameSync(file, `${file}.1`);
      fs.appendFileSync(file, line.replace(/[\r\n]+/g, " ").slice(0, maxLogLine) + "\n", { mode: 0o600 });
    });
  }

  /** Adds a line to this process's recording. What does not fit is left out, and the last line says so. */
  record(line: string): void {
    if (this.unwritable !== undefined) return;
    this.writing(() => {
      this.recording ??= this.openRecording();
      const { file, bytes } = this.recording;
      if (bytes > maxRecordingBytes) return;
      const size = Buffer.byteLength(line) + 1;
      const over = bytes + size > maxRecordingBytes;
      const last: RecordedCall = { kind: "end", why: `the recording has reached ${maxRecordingBytes} bytes; what came later is not in it` };
      this.recording.bytes = over ? Infinity : bytes + size;
      fs.appendFileSync(file, `${over ? JSON.stringify(last) : line}\n`, { mode: 0o600 });
    });
  }

  private openRecording(): { file: string; bytes: number } {
    const folder = path.join(this.folder, "recordings");
    const older = fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort();
    for (const name of older.slice(0, Math.max(0, older.length - maxRecordings + 1))) fs.rmSync(path.join(folder, name), { force: true });
    return { file: path.join(folder, `${new Date().toISOString().replace(/[:.]/g, "-")}-${process.pid}.jsonl`), bytes: 0 };
  }

  /**
   * Adds a line to a ledger that all processes share, and gives the whole lines that stand in it from a byte on, if one
   * is given. One short write to the end is not torn, so no line of another process is lost.
   */
  tally(name: string, line: string | undefined, from?: number): Lines {
    if (!ledgerName.test(name)) return { failure: "not a ledger" };
    const file = path.join(this.folder, "ledgers", name);
    if (line) {
      if (this.unwritable !== undefined) return { failure: this.unwritable };
      const failure = this.writing(() => {
        const size = fs.statSync(file, { throwIfNoEntry: false })?.size;
        if (size === undefined) this.pruneLedgers();
        if ((size ?? 0) > maxLedgerBytes) throw new Error(`larger than ${maxLedgerBytes} bytes`);
        fs.appendFileSync(file, line.replace(/[^ -~]+/g, " ").slice(0, maxLedgerLine) + "\n", { mode: 0o600 });
      });
      if (failure !== undefined) return { failure };
    }
    return from === undefined ? {} : ledgerFrom(this.folder, name, from);
  }

  /**
   * Leaves a wish for a session, for whatever process has it, and gives those that were left from a byte on. Where
   * there are none, that costs one look for the file.
   */
  heed(session: string, line: string | undefined, from: number): Lines {
    const file = this.wishFile(session);
    const failure = line === undefined ? undefined : this.leave(file, line);
    const lines = failure === undefined ? linesFrom(file, from, maxWishBytes) : { failure };
    return lines.failure === undefined ? lines : { failure: `${file}: ${lines.failure}` };
  }

  /** Not a change of the folder that tells of the rest of it: one file that is odd leaves the others as they are. */
  private leave(file: string, line: string): string | undefined {
    if (this.unwritable !== undefined) return this.unwritable;
    try {
      opened(file, fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT, (fd, size) => {
        if (size > maxWishBytes) throw new Error(`larger than ${maxWishBytes} bytes`);
        // One short write to the end is not torn. The first line break ends what a full disk once cut off.
        fs.appendFileSync(fd, `\n${line.replace(/[\r\n]+/g, " ")}\n`);
      });
      return undefined;
    } catch (error) {
      return describe(error);
    }
  }

  private pruneLedgers(): void {
    const folder = path.join(this.folder, "ledgers");
    const days = fs.readdirSync(folder).filter((name) => ledgerName.test(name)).sort();
    for (const old of days.slice(0, Math.max(0, days.length - maxLedgers))) fs.rmSync(path.join(folder, old), { force: true });
  }

  /** Says that this process still lives, for the leases that it holds. */
  heartbeat(): void {
    this.lease.beat();
  }

  close(): void {
    this.lease.releaseAll();
  }

  private sessionFile(session: string): string {
    return path.join(this.folder, "sessions", `${digest(session)}.json`);
  }

  private wishFile(session: string): string {
    return path.join(this.folder, "wishes", `${digest(session)}.jsonl`);
  }

  private setAside(file: string): string {
    const bad = `${file}.bad`;
    const failure = this.writing(() => fs.renameSync(file, bad));
    return failure === undefined ? `kept as ${bad}` : `it could not be set aside (${failure})`;
  }

  private prune(): void {
    this.writing(() => {
      const sessions = path.join(this.folder, "sessions");
      const files = fs.readdirSync(sessions).filter((name) => name.endsWith(".json"));
      if (files.length > maxSessions) {
        const byAge = files
          .map((name) => ({ name, at: fs.statSync(path.join(sessions, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
          .sort((a, b) => a.at - b.at);
        for (const { name } of byAge.slice(0, files.length - maxSessions)) {
          fs.rmSync(path.join(sessions, name), { force: true });
          fs.rmSync(path.join(this.folder, "wishes", `${name}l`), { force: true });
        }
      }
      dropOld(path.join(this.folder, "leases"), dayMs); // of processes that were killed: one that lives beats
      dropOld(sessions, dayMs, (name) => name.endsWith(".tmp")); // half written
      const claims = path.join(this.folder, claimFolder);
      if (fs.readdirSync(claims).length > maxClaims) dropOld(claims, claimLifeMs, (name) => name !== claimMark);
    });
  }

  /**
   * Runs a change of the folder; a failure is returned, and told once. A folder that somebody has removed is made again, but
   * for that of the claims: a process that has not heard of a wake yet could claim it a second time.
   */
  private writing(change: () => void, anew = true): string | undefined {
    try {
      change();
      return undefined;
    } catch (error) {
      if (anew && (error as NodeJS.ErrnoException).code === "ENOENT") {
        return this.writing(() => {
          this.make(folders);
          change();
        }, false);
      }
      const reason = describe(error);
      if (this.unwritable === undefined && refusesWrites(error)) {
        this.unwritable = reason;
        if (!this.told) this.onUnwritable(reason);
        this.told = true;
      }
      return reason;
    }
  }
}

/** Names this process in leases; a number alone would be used again by another process. */
export function processOwner(): string {
  return `${os.hostname()} ${process.pid} ${Math.round(performance.timeOrigin)}`;
}

/** Writes a file so that a reader sees the old or the new content, never a part. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  const fresh = `${file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(fresh, text, { mode });
    if (mode !== 0o600) fs.chmodSync(fresh, mode); // whatever the umask takes away
    fs.renameSync(fresh, file);
  } catch (error) {
    remove(fresh); // a failure of this one would hide the other, which tells that the disk is full
    throw error;
  }
}

function digest(session: string): string {
  return createHash("sha256").update(session).digest("hex");
}

function refusesWrites(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EEXIST", "ELOOP"].includes(code);
}

export function readSmall(file: string): string {
  return opened(file, fs.constants.O_RDONLY, (fd, size) => {
    if (size > maxStateBytes) throw new Error(`larger than ${maxStateBytes} bytes`);
    return fs.readFileSync(fd, "utf8");
  });
}

/** Opens a file of ours for one use of it: no link, no pipe, no folder. */
function opened<T>(file: string, flags: number, use: (fd: number, size: number) => T): T {
  const fd = fs.openSync(file, flags | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0), 0o600);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new Error("not a regular file");
    return use(fd, stat.size);
  } finally {
    fs.closeSync(fd);
  }
}

/** The whole lines behind a byte, at most so many bytes of them. A file that is shorter is another one, and read from its beginning. */
function linesFrom(file: string, from: number, most: number): Lines {
  try {
    return opened(file, fs.constants.O_RDONLY, (fd, size) => {
      const at = from > size ? 0 : from;
      const bytes = Buffer.alloc(Math.min(most, size - at));
      const read = bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, at));
      const whole = read.lastIndexOf(0x0a) + 1;
      return { text: read.toString("utf8", 0, whole), next: at + whole };
    });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? {} : { failure: describe(error) };
  }
}

/** What stands in a day's ledger from a byte on. It makes nothing on the disk. */
export function ledgerFrom(folder: string, name: string, from: number): Lines {
  return ledgerName.test(name) ? linesFrom(path.join(folder, "ledgers", name), from, maxLedgerRead) : { failure: "not a ledger" };
}

/** Removes what was not touched for so long. */
function dropOld(folder: string, lifeMs: number, ours = (_: string) => true): void {
  const horizon = Date.now() - lifeMs;
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    const at = ours(name) ? fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (at !== undefined && at < horizon) fs.rmSync(file, { force: true });
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    // The order of use is then the order of change.
  }
}
