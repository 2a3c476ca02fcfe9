// What the program superadvisor does for its guest and no plugin does: print, end, write the file that the person
// named, look at its surroundings, and try a host. It carries; what is written and where is the guest's to say, and a
// file that is not what the guest takes it for is left alone.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { compile } from "./module.ts";
import type { Event, Fact, WriteFile } from "./protocol.gen.ts";
import type { DeskEffect } from "./serve.ts";
import { readSmall, replaceFile } from "./store.ts";
import { describe } from "./text.ts";
import { Trial } from "./trial.ts";

/** A host that does not tell its version in this time is said to hang. OpenCode takes a second, on a busy machine many. */
const versionMs = 30_000;
/** Between two tries to write to a pipe that is full. */
const pauseMs = 5;

export class Desk {
  /** Once the guest has said with which code to end. */
  code: number | undefined;
  private trial: Trial | undefined;

  constructor(
    private readonly wasm: string,
    private readonly ended: () => void,
  ) {}

  perform(effect: DeskEffect, answer: (event: Event) => void): void {
    switch (effect.type) {
      case "print":
        print(effect.error ? 2 : 1, effect.text);
        return;
      case "exit":
        this.code ??= effect.code;
        this.ended();
        return;
      case "write_file": {
        const failure = writeFile(effect);
        answer({ type: "saved", id: effect.id, ...(failure ? { failure } : {}) });
        return;
      }
      case "probe":
        void this.facts(effect.programs ?? []).then((facts) => answer({ type: "probed", id: effect.id, facts }));
        return;
      case "trial":
        this.trial = new Trial(effect);
        this.trial.begin(answer);
        return;
      case "trial_answer":
        this.trial?.next(effect, answer);
        return;
    }
  }

  private async facts(programs: Fact[]): Promise<Fact[]> {
    const runtime = "Bun" in globalThis ? `bun ${process.versions["bun"]}` : `node ${process.versions.node}`;
    return [
      { name: "runtime", value: runtime },
      { name: "system", value: `${process.platform} ${process.arch}` },
      { name: "place", value: path.dirname(this.wasm) },
      ...(await Promise.all([audit(this.wasm), ...programs.map((program) => version(program, path.dirname(this.wasm)))])),
    ];
  }
}

/** Of the module's file: its size, its digest, and what it imports, a line each. */
async function audit(wasm: string): Promise<Fact> {
  try {
    const bytes = fs.readFileSync(wasm);
    const imports = WebAssembly.Module.imports(await compile(bytes)).map((own) => `${own.module}.${own.name}`);
    return { name: "module", value: [bytes.length, createHash("sha256").update(bytes).digest("hex"), ...imports].join("\n") };
  } catch (error) {
    return { name: "module", failure: describe(error) };
  }
}

/** Where programs look for a home. OpenCode makes its folders there before it tells its version. */
const homes = ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"];

/** Asked with a home that is gone afterwards. What a version manager starts may need the person's: it is asked once more. */
async function version(program: Fact, cwd: string): Promise<Fact> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-version-"));
  try {
    const first = await askVersion(program, cwd, { ...process.env, ...Object.fromEntries(homes.map((name) => [name, home])) });
    return first.again ? (await askVersion(program, cwd, process.env)).fact : first.fact;
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Asked in a folder of ours: in a PATH that names the present folder, a cloned project's program of that name would be found. */
function askVersion({ name, value }: Fact, cwd: string, env: NodeJS.ProcessEnv): Promise<{ fact: Fact; again?: boolean }> {
  return new Promise((resolve) => {
    const child = execFile(value ?? name, ["--version"], { cwd, env, timeout: versionMs, shell: process.platform === "win32" }, (error, stdout, stderr) => {
      if ((error as NodeJS.ErrnoException | null)?.code === "ENOENT") resolve({ fact: { name, failure: "" } });
      else if (error?.killed) resolve({ fact: { name, failure: `no answer within ${versionMs / 1000} s` } });
      else if (error) resolve({ fact: { name, failure: describe(stderr || error) }, again: true });
      else resolve({ fact: { name, value: describe(stdout || stderr) } });
    });
    child.stdin?.end();
  });
}

/** Returns why it failed, or undefined. */
function writeFile({ path: file, text, expect, new: fresh, backup }: WriteFile): string | undefined {
  try {
    if (fresh) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text, { flag: "wx", mode: 0o600 });
      return undefined;
    }
    if (readSmall(file) !== (expect ?? "")) return "it was changed by another program meanwhile; try again";
    if (backup) fs.copyFileSync(file, backup, fs.constants.COPYFILE_EXCL);
    replaceFile(file, text, fs.statSync(file).mode & 0o7777);
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

/** Writes all of a text before anything else happens, so that an end of the process cuts nothing off. */
export function print(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
        continue;
      }
      // Nobody reads any more (head, less): not a failure of ours, and nobody is there to hear of it.
      if (code === "EPIPE") process.exit(141);
      throw error;
    }
  }
}
