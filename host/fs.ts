// The four file imports: the guest's only view of the disk. The guest checks paths
// by itself (pkg/safefs); this side holds the same bound once more, on what
// was really opened. Nothing here writes, and nothing throws.

import * as fs from "node:fs";
import * as path from "node:path";
import { Errno, Kind } from "./protocol.gen.ts";

/** Device and inode: what a path named when it was checked. */
export interface Identity {
  dev: bigint;
  ino: bigint;
}

export interface Info extends Identity {
  kind: Kind;
  size: bigint;
  mtimeNs: bigint;
}

export interface Entry {
  name: string;
  kind: Kind;
}

/** A refusal. Success is the value itself, so that no errno is ever forgotten. */
export class Refusal {
  constructor(readonly errno: Errno) {}
}

const maxPath = 4096; // Linux's PATH_MAX, the largest of the systems that OpenCode runs on

// Files whose reading has effects or tells of other processes, should the workspace be "/".
const kernel = /^\/(proc|sys|dev)(\/|$)/;

// Absent on Windows, where neither exists as a flag.
const readFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const listFlags = readFlags | (fs.constants.O_DIRECTORY ?? 0);

export class Files {
  /** The root with every symlink resolved. */
  readonly root: string;
  private readonly given: string;

  constructor(root: string) {
    this.given = path.resolve(root);
    this.root = fs.realpathSync.native(this.given);
  }

  stat(name: string): Info | Refusal {
    return attempt(() => this.inspect(name).info);
  }

  real(name: string): string | Refusal {
    return attempt(() => {
      this.checkShape(name);
      return this.inside(fs.realpathSync.native(name));
    });
  }

  /** Fills buffer from offset; fewer bytes only at the end of the file. */
  read(name: string, want: Identity, offset: bigint, buffer: Uint8Array): number | Refusal {
    return attempt(() => {
      if (offset < 0n || offset > BigInt(Number.MAX_SAFE_INTEGER)) throw new Refusal(Errno.invalid);
      const before = this.inspect(name);
      if (before.info.kind === Kind.dir) throw new Refusal(Errno.isDir);
      if (before.info.kind === Kind.other) throw new Refusal(Errno.notRegular);
      if (before.info.kind === Kind.symlink) throw new Refusal(Errno.changed); // a link is resolved before it is read
      same(before.info, want);
      const fd = this.open(before.at, readFlags);
      try {
        const opened = fs.fstatSync(fd, { bigint: true });
        if (!opened.isFile()) throw new Refusal(Errno.notRegular);
        same(opened, want);
        this.confirm(name, want);
        let filled = 0;
        while (filled < buffer.length) {
          const n = fs.readSync(fd, buffer, filled, buffer.length - filled, Number(offset) + filled);
          if (n === 0) break;
          filled += n;
        }
        return filled;
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  /** Names in byte order, as Go sorts strings. */
  list(name: string, want: Identity): Entry[] | Refusal {
    return attempt(() => {
      const before = this.inspect(name);
      if (before.info.kind === Kind.symlink) throw new Refusal(Errno.changed);
      if (before.info.kind !== Kind.dir) throw new Refusal(Errno.notDir);
      same(before.info, want);
      const fd = process.platform === "win32" ? undefined : this.open(before.at, listFlags);
      try {
        if (fd !== undefined) {
          const opened = fs.fstatSync(fd, { bigint: true });
          if (!opened.isDirectory()) throw new Refusal(Errno.notDir);
          same(opened, want);
        }
        const entries = fs
          .readdirSync(handle(fd) ?? before.at, { withFileTypes: true })
          .map((entry) => ({ name: entry.name, kind: direntKind(entry, before.at) }));
        this.confirm(name, want);
        return sortByBytes(entries);
      } finally {
        if (fd !== undefined) fs.closeSync(fd);
      }
    });
  }

  /** Between the checks before and after; tests change the disk here. */
  protected open(at: string, flags: number): number {
    return fs.openSync(at, flags);
  }

  /** The path below the resolved parent, and what lies there, the last element not followed. */
  private inspect(name: string): { at: string; info: Info } {
    this.checkShape(name);
    let at = this.root;
    if (name !== this.given && name !== this.root) {
      const parent = this.inside(fs.realpathSync.native(path.dirname(name)));
      at = path.join(parent, path.basename(name));
    }
    const stat = fs.lstatSync(at, { bigint: true });
    return { at, info: { kind: kindOf(stat), size: stat.size, mtimeNs: stat.mtimeNs, dev: stat.dev, ino: stat.ino } };
  }

  /** After opening: the path still leads, inside the root, to what was opened. */
  private confirm(name: string, want: Identity): void {
    const real = this.inside(fs.realpathSync.native(name));
    same(fs.lstatSync(real, { bigint: true }), want);
  }

  private checkShape(name: string): void {
    if (name.includes("\0") || !path.isAbsolute(name)) throw new Refusal(Errno.invalid);
    if (Buffer.byteLength(name) > maxPath) throw new Refusal(Errno.nameTooLong);
    if (name !== path.resolve(name)) throw new Refusal(Errno.invalid); // "..", ".", "//", a trailing slash
    if (!within(name, this.given) && !within(name, this.root)) throw new Refusal(Errno.outside);
    if (kernel.test(name)) throw new Refusal(Errno.outside);
  }

  private inside(real: string): string {
    if (!within(real, this.root) || kernel.test(real)) throw new Refusal(Errno.outside);
    return real;
  }
}

function within(name: string, root: string): boolean {
  return name === root || name.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

function same(found: Identity, want: Identity): void {
  if (found.dev !== want.dev || found.ino !== want.ino) throw new Refusal(Errno.changed);
}

function kindOf(stat: fs.BigIntStats): Kind {
  if (stat.isFile()) return Kind.file;
  if (stat.isDirectory()) return Kind.dir;
  if (stat.isSymbolicLink()) return Kind.symlink;
  return Kind.other;
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

/** A path that names the opened folder itself, where the system has one. */
function handle(fd: number | undefined): string | undefined {
  return fd !== undefined && process.platform === "linux" ? `/proc/self/fd/${fd}` : undefined;
}

function sortByBytes(entries: Entry[]): Entry[] {
  // UTF-16 order and byte order differ only where surrogates meet U+E000 and above.
  if (!entries.some((entry) => /[\ud800-\udfff]/.test(entry.name))) {
    return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }
  return entries
    .map((entry) => ({ entry, key: Buffer.from(entry.name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ entry }) => entry);
}

const errnos: Record<string, Errno> = {
  ENOENT: Errno.notFound,
  EACCES: Errno.permission,
  EPERM: Errno.permission,
  ENOTDIR: Errno.notDir,
  EISDIR: Errno.isDir,
  ENXIO: Errno.notRegular,
  ELOOP: Errno.loop, // in a folder of the path; a link in the last place is not followed
  ENAMETOOLONG: Errno.nameTooLong,
  EINVAL: Errno.invalid,
};

function attempt<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
    return new Refusal((code && errnos[code]) || Errno.io);
  }
}
