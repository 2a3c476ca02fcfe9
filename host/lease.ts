// Which process reviews a session, when several have it open. A lease keeps two
// reviewers from paying for the same review; the one wake is kept by claims,
// not by this, so a lease may err on the side of two holders.

import * as fs from "node:fs";
import { hostname } from "node:os";
import * as path from "node:path";

/** Half of the holders' patience, so that one late beat loses nothing. */
export const beatMs = 30_000;
/** A holder that has not been heard of for this long is gone. */
const patienceMs = 3 * beatMs;

export class Lease {
  private readonly held = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly owner: string,
  ) {}

  /** True when this process holds the lease now. When leases cannot be kept, everybody does. */
  take(name: string): boolean {
    const file = this.file(name);
    for (let tries = 0; tries < 3; tries++) {
      try {
        fs.writeFileSync(file, this.owner, { flag: "wx", mode: 0o600 });
        this.held.add(name);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") return true;
      }
      const holder = read(file);
      if (holder === undefined) continue; // released in between
      if (holder.owner === this.owner) {
        this.held.add(name);
        return true;
      }
      if (alive(holder)) {
        this.held.delete(name);
        return false;
      }
      if (!this.evict(file, holder.owner)) return true;
    }
    return false;
  }

  release(name: string): void {
    if (!this.held.delete(name)) return;
    const file = this.file(name);
    if (read(file)?.owner === this.owner) remove(file);
  }

  releaseAll(): void {
    for (const name of [...this.held]) this.release(name);
  }

  beat(): void {
    const now = new Date();
    for (const name of this.held) {
      try {
        if (read(this.file(name))?.owner !== this.owner) throw new Error("taken over while this process slept");
        fs.utimesSync(this.file(name), now, now);
      } catch {
        this.held.delete(name);
      }
    }
  }

  private file(name: string): string {
    return path.join(this.folder, `${name}.lease`);
  }

  /**
   * Takes a dead holder's file away. Of several that try, one moves it; who moved
   * the file of a newer holder by mistake puts it back. False: nobody can, as on a disk that was made read-only.
   */
  private evict(file: string, dead: string): boolean {
    const aside = `${file}.${process.pid}.${Math.round(performance.timeOrigin)}`;
    try {
      fs.renameSync(file, aside);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT"; // somebody else was faster, which is as good
    }
    try {
      if (read(aside)?.owner !== dead) fs.linkSync(aside, file);
    } catch {
      // A third one has it meanwhile.
    }
    remove(aside);
    return true;
  }
}

/** What stays, because the disk lets nothing go, ends by its age. Never throws. */
export function remove(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // Costs its bytes.
  }
}

interface Holder {
  owner: string;
  beat: number;
}

/** Undefined: there is none. One that may not be read, as that of another user, is somebody's without a name. */
function read(file: string): Holder | undefined {
  const beat = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (beat === undefined) return undefined;
  try {
    return { owner: fs.readFileSync(file, "utf8"), beat };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : { owner: "", beat };
  }
}

function alive(holder: Holder): boolean {
  // A beat of the future is of a clock that went wrong, and would count until the clock comes by again.
  if (Math.abs(Date.now() - holder.beat) > patienceMs) return false;
  const [host, pid] = holder.owner.split(" ");
  if (host !== hostname() || !pid) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
