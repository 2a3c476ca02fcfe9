// What a folder holds, in the bytes of fs_list, and the listings of folders that have not
// changed since they were read.

import * as fs from "node:fs";
import * as path from "node:path";
import { Kind } from "./protocol.gen.ts";

export interface Listing {
  /** Each entry: its kind, the length of its name in two bytes, its name. By the order of bytes, as Go sorts. */
  readonly bytes: Buffer;
  /** The names of what is neither file nor folder. */
  readonly odd: ReadonlySet<string>;
}

interface Entry {
  name: string;
  kind: Kind;
}

const head = 3; // bytes before each name
const withTypes = { withFileTypes: true } as const;
const none: ReadonlySet<string> = new Set();

export function readListing(folder: string): Listing {
  const entries = fs.readdirSync(folder, withTypes).map((entry) => ({ name: entry.name, kind: direntKind(entry, folder) }));
  const odd = entries.filter(({ kind }) => kind !== Kind.file && kind !== Kind.dir);
  return { bytes: encodeASCII(entries) ?? encode(entries), odd: odd.length > 0 ? new Set(odd.map(({ name }) => name)) : none };
}

function encode(entries: Entry[]): Buffer {
  const named = entries.map(({ name, kind }) => ({ name: Buffer.from(name), kind })).sort((a, b) => Buffer.compare(a.name, b.name));
  return Buffer.concat(named.flatMap(({ name, kind }) => [Buffer.from([kind, name.length & 0xff, name.length >> 8]), name]));
}

/** What encode gives, where every letter is a byte; otherwise undefined. */
function encodeASCII(entries: Entry[]): Buffer | undefined {
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const out = Buffer.allocUnsafe(entries.reduce((size, { name }) => size + head + name.length, 0));
  let at = 0;
  for (const { name, kind } of entries) {
    out[at] = kind;
    out[at + 1] = name.length & 0xff;
    out[at + 2] = name.length >> 8;
    at += head;
    for (let i = 0; i < name.length; i++) {
      const letter = name.charCodeAt(i);
      if (letter > 0x7f) return undefined;
      out[at++] = letter;
    }
  }
  return out;
}

// As numbers: the methods of stat make big integers for each question.
const kinds: Record<number, Kind> = { [fs.constants.S_IFREG]: Kind.file, [fs.constants.S_IFDIR]: Kind.dir, [fs.constants.S_IFLNK]: Kind.symlink };

export function kindOf(stat: fs.BigIntStats): Kind {
  return kinds[Number(stat.mode) & fs.constants.S_IFMT] ?? Kind.other;
}

function direntKind(entry: fs.Dirent, folder: string): Kind {
  if (entry.isFile()) return Kind.file;
  if (entry.isDirectory()) return Kind.dir;
  if (entry.isSymbolicLink()) return Kind.symlink;
  if (entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice()) return Kind.other;
  try {
    return kindOf(fs.lstatSync(path.join(folder, entry.name), { bigint: true })); // file systems that do not say
  } catch {
    return Kind.other;
  }
}

/** A folder as it was when it was opened: each change of what it holds changes the time. */
export type State = Pick<fs.BigIntStats, "dev" | "ino" | "ctimeNs">;

// Linux's own file systems, by the type that statfs gives: in these each change of what a folder holds changes its ctime. A
// network's may tell it late, and a made-up one never: there a folder is read each time.
const exact = new Set([0xef53 /* ext */, 0x58465342 /* xfs */, 0x9123683e /* btrfs */, 0x2fc12fc1 /* zfs */, 0xf2f52010 /* f2fs */, 0x01021994 /* tmpfs */, 0x794c7630 /* overlay */]);

const settledMs = 2000; // a time is as coarse as the kernel's tick: a younger folder can change without showing it
const maxKept = 4 << 20; // bytes, of all listings
const overhead = 400; // about what one costs beside its bytes

/** Reads folders, and remembers what they hold while they do not change. */
export class Listings {
  private readonly dev: bigint | undefined;
  private readonly kept = new Map<string, { state: State; listing: Listing }>();
  private size = 0;

  /** Only folders of root's own file system are remembered, if it is one that shows every change. */
  constructor(root: string) {
    if (process.platform !== "linux") return;
    try {
      if (exact.has(fs.statfsSync(root).type >>> 0)) this.dev = fs.lstatSync(root, { bigint: true }).dev;
    } catch {
      // Nothing is remembered.
    }
  }

  has(name: string): boolean {
    return this.kept.has(name);
  }

  /** What the folder called name holds, if it is the one that was read, as it was then. */
  unchanged(name: string, state: State): Listing | undefined {
    const before = this.kept.get(name);
    return before && before.state.ino === state.ino && before.state.ctimeNs === state.ctimeNs && state.dev === this.dev ? before.listing : undefined;
  }

  /** The folder called name, open at place, which was in this state after it was opened. */
  read(name: string, state: State, place: string): Listing {
    const before = this.unchanged(name, state);
    if (before) return before;
    const settled = state.dev === this.dev && state.ctimeNs < BigInt(Date.now() - settledMs) * 1_000_000n;
    const listing = readListing(place);
    if (settled) this.keep(name, state, listing);
    return listing;
  }

  private keep(name: string, { dev, ino, ctimeNs }: State, listing: Listing): void {
    const size = overhead + name.length + listing.bytes.length;
    if (this.size + size > maxKept) {
      this.kept.clear();
      this.size = 0;
    }
    this.kept.set(name, { state: { dev, ino, ctimeNs }, listing });
    this.size += size;
  }
}
