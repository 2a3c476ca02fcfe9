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
      this.evict(file, holder.owner);
    }
    return false;
  }

  release(name: string): void {
    if (!this.held.delete(name)) return;
    const file = this.file(name);
    if (read(file)?.owner === this.owner) fs.rmSync(file, { force: true });
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
   * the file of a newer holder by mistake puts it back.
   */
  private evict(file: string, dead: string): void {
    const aside = `${file}.${process.pid}.${Math.round(performance.timeOrigin)}`;
    try {
      fs.renameSync(file, aside);
      if (read(aside)?.owner !== dead) fs.linkSync(aside, file);
    } catch {
      // Somebody else was faster, which is as good.
    } finally {
      fs.rmSync(aside, { force: true });
    }
  }
}

interface Holder {
  owner: string;
  beat: number;
}

function read(file: string): Holder | undefined {
  try {
    return { owner: fs.readFileSync(file, "utf8"), beat: fs.statSync(file).mtimeMs };
  } catch {
    return undefined;
  }
}

function alive(holder: Holder): boolean {
  if (Date.now() - holder.beat > patienceMs) return false;
  const [host, pid] = holder.owner.split(" ");
  if (host !== hostname() || !pid) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
