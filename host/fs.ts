// The four file imports: the guest's only view of the disk. The guest checks paths
// by itself (pkg/safefs); this side holds the same bound once more, on what
// was really opened. Nothing here writes, and nothing throws.

import * as fs from "node:fs";
import * as path from "node:path";
import { kindOf, type Listing, Listings, readListing, type State } from "./listing.ts";
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

/** What was looked at last, for the read or listing that follows. */
interface Held {
  name: string;
  info: Info;
  fd?: number; // a folder whose listing is known is not opened for it
  listing?: Listing;
  place: string; // where it was found, by what is open
  state: State;
}

/** A folder that was listed: what is in it is opened through it. */
interface Listed {
  prefix: string; // how the paths of what is in it begin
  fd: number | undefined; // opened when something in it is
  place: string;
  id: Identity;
  odd: ReadonlySet<string>; // what is neither file nor folder
}

const maxListed = 64; // as deep as a walk goes

// Where the system names what this process has open. The link /proc/self is followed once, not for every file.
const opened = process.platform === "linux" ? ownHandles() : undefined;
const big = { bigint: true } as const;

export class Files {
  /** The root with every symlink resolved. */
  readonly root: string;
  private readonly given: string;
  private readonly listed: Listed[] = []; // each is below the one before
  private readonly listings: Listings;
  private held: Held | undefined;

  constructor(root: string) {
    this.given = path.resolve(root);
    this.root = fs.realpathSync.native(this.given);
    this.listings = new Listings(this.root);
  }

  stat(name: string): Info | Refusal {
    return this.hold(name) ?? attempt(() => this.inspect(name).info);
  }

  /** Closes what is open, through which later names were opened: between two calls of the guest. */
  release(): void {
    this.leave(0);
    this.drop();
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
      const { held } = this;
      if (held?.fd !== undefined && held.name === name && held.info.kind === Kind.file && isSame(held.info, want)) return fill(held.fd, Number(offset), buffer);
      const before = this.inspect(name);
      if (before.info.kind === Kind.dir) throw new Refusal(Errno.isDir);
      if (before.info.kind === Kind.other) throw new Refusal(Errno.notRegular);
      if (before.info.kind === Kind.symlink) throw new Refusal(Errno.changed); // a link is resolved before it is read
      same(before.info, want);
      const fd = this.open(before.at, readFlags);
      try {
        const stat = fs.fstatSync(fd, big);
        if (!stat.isFile()) throw new Refusal(Errno.notRegular);
        same(stat, want);
        this.confirm(name, want);
        this.drop();
        this.held = { name, fd, place: before.at, info: infoOf(stat), state: stat }; // a large file is read in pieces
      } finally {
        if (this.held?.fd !== fd) fs.closeSync(fd);
      }
      return fill(fd, Number(offset), buffer);
    });
  }

  /** What the folder holds. */
  list(name: string, want: Identity): Listing | Refusal {
    return attempt(() => {
      const { held } = this;
      if (held?.name === name && held.info.kind === Kind.dir) {
        same(held.info, want);
        const listing = held.listing ?? this.listings.read(name, held.state, handle(held.fd!)!);
        this.remember(held, listing);
        this.held = undefined;
        return listing;
      }
      const before = this.inspect(name);
      if (before.info.kind === Kind.symlink) throw new Refusal(Errno.changed);
      if (before.info.kind !== Kind.dir) throw new Refusal(Errno.notDir);
      same(before.info, want);
      if (process.platform === "win32") {
        const listing = readListing(before.at);
        this.confirm(name, want);
        return listing;
      }
      const fd = this.open(before.at, listFlags);
      let kept = false;
      try {
        const opened = fs.fstatSync(fd, big);
        if (!opened.isDirectory()) throw new Refusal(Errno.notDir);
        same(opened, want);
        const through = handle(fd);
        const listing = through ? this.listings.read(name, opened, through) : readListing(before.at);
        this.confirm(name, want);
        if (through) this.remember({ name, fd, place: before.at, info: before.info }, listing);
        kept = through !== undefined;
        return listing;
      } finally {
        if (!kept) fs.closeSync(fd);
      }
    });
  }

  /** Between the checks before and after; tests change the disk here. */
  protected open(at: string, flags: number): number {
    return fs.openSync(at, flags);
  }

  /**
   * Opens a name in a folder that was listed in this call, through that open folder, and keeps it open: the
   * read or listing that follows takes what was opened here. Nothing can be put in between, and a single
   * element that is not followed cannot lead out of the folder. Undefined when its folder was not listed,
   * or when it is no file or folder: the slow way then judges it.
   */
  private hold(name: string): Info | undefined {
    const folder = this.folderOf(name);
    if (!folder) return undefined;
    const last = name.slice(folder.prefix.length);
    if (last === "" || last === "." || last === ".." || folder.odd.has(last)) return undefined;
    this.drop();
    let fd: number | undefined;
    try {
      const place = `${this.enter(folder)}/${last}`;
      if (this.listings.has(name)) {
        const state = fs.lstatSync(place, big);
        const listing = this.listings.unchanged(name, state);
        if (listing) {
          this.held = { name, listing, place, info: infoOf(state), state };
          return this.held.info;
        }
      }
      fd = this.open(place, readFlags);
      const state = fs.fstatSync(fd, big);
      const info = infoOf(state);
      if (info.kind === Kind.file || info.kind === Kind.dir) {
        this.held = { name, fd, place, info, state };
        return info;
      }
    } catch {
      // The slow way finds out why, and says so.
    }
    if (fd !== undefined) fs.closeSync(fd);
    return undefined;
  }

  /** The handle of a listed folder, which is opened if it is not: it must still be the one that was listed. */
  private enter(folder: Listed): string {
    if (folder.fd === undefined) {
      const fd = this.open(folder.place, listFlags);
      try {
        same(fs.fstatSync(fd, big), folder.id);
        folder.fd = fd;
      } finally {
        if (folder.fd !== fd) fs.closeSync(fd);
      }
    }
    return handle(folder.fd)!;
  }

  /** The listed folder that a name is in. A walk that is back in it has done with those below. */
  private folderOf(name: string): Listed | undefined {
    for (let i = this.listed.length - 1; i >= 0; i--) {
      const folder = this.listed[i]!;
      if (!name.startsWith(folder.prefix) || name.includes("/", folder.prefix.length)) continue;
      this.leave(i + 1);
      return folder;
    }
    return undefined;
  }

  /** Closes all but the first folders. */
  private leave(kept: number): void {
    while (this.listed.length > kept) close(this.listed.pop()!);
  }

  private drop(): void {
    if (this.held) close(this.held);
    this.held = undefined;
  }

  private remember({ name, fd, place, info }: Pick<Held, "name" | "fd" | "place" | "info">, { odd }: Listing): void {
    const prefix = `${name}/`;
    let above = this.listed.length;
    while (above > 0 && (this.listed[above - 1]!.prefix === prefix || !prefix.startsWith(this.listed[above - 1]!.prefix))) above--;
    this.leave(above);
    if (above === maxListed) close(this.listed.shift()!);
    this.listed.push({ prefix, fd, place, id: info, odd });
  }

  /** The path below the resolved parent, and what lies there, the last element not followed. */
  private inspect(name: string): { at: string; info: Info } {
    this.checkShape(name);
    let at = this.root;
    if (name !== this.given && name !== this.root) {
      const parent = this.inside(fs.realpathSync.native(path.dirname(name)));
      at = path.join(parent, path.basename(name));
    }
    const stat = fs.lstatSync(at, big);
    return { at, info: infoOf(stat) };
  }

  /** After opening: the path still leads, inside the root, to what was opened. */
  private confirm(name: string, want: Identity): void {
    const real = this.inside(fs.realpathSync.native(name));
    same(fs.lstatSync(real, big), want);
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

function isSame(found: Identity, want: Identity): boolean {
  return found.dev === want.dev && found.ino === want.ino;
}

function same(found: Identity, want: Identity): void {
  if (!isSame(found, want)) throw new Refusal(Errno.changed);
}

function infoOf(stat: fs.BigIntStats): Info {
  return { kind: kindOf(stat), size: stat.size, mtimeNs: stat.mtimeNs, dev: stat.dev, ino: stat.ino };
}

function fill(fd: number, offset: number, buffer: Uint8Array): number {
  let filled = 0;
  while (filled < buffer.length) {
    const n = fs.readSync(fd, buffer, filled, buffer.length - filled, offset + filled);
    if (n === 0) break;
    filled += n;
  }
  return filled;
}

function close({ fd }: { fd?: number | undefined }): void {
  if (fd !== undefined) fs.closeSync(fd);
}

/** A path that names the opened folder itself, where the system has one. */
function handle(fd: number): string | undefined {
  return opened !== undefined ? `${opened}/${fd}` : undefined;
}

function ownHandles(): string | undefined {
  try {
    return `/proc/${fs.readlinkSync("/proc/self")}/fd`;
  } catch {
    return undefined; // no /proc here
  }
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
