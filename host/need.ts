// What the guest may have of the outside while it starts: files that it names,
// environment variables and providers. After its Ready nothing more is given but
// the person's own rules: .md files in the folder of advisor.json.

import * as fs from "node:fs";
import * as path from "node:path";
import type { Grants } from "./messages.ts";
import type { File, Need, Provided, Provider, Variable } from "./protocol.gen.ts";
import { describe } from "./text.ts";

/** A config file is some kilobytes; what is larger is something else. */
const maxFile = 1024 * 1024;

export class Needs {
  private ready = false;
  private readonly granted: Grants = { origins: [], files: [], env: [], providers: [] };

  /** Sealed: what an earlier instance was given; a later one gets these names alone. Folder: that of advisor.json. */
  constructor(
    private readonly sealed: Grants | undefined,
    private readonly folder: string | undefined,
  ) {}

  /** The names that may be given, the others are refused. */
  admit(need: Need): Need {
    if (this.ready) return { ...need, files: (need.files ?? []).filter((name) => this.isRules(name)), env: [], providers: [] };
    const allowed = (names: string[] | undefined, known: string[] | undefined, record: string[]) => {
      const list = (names ?? []).filter((name) => known === undefined || known.includes(name));
      record.push(...list);
      return list;
    };
    return {
      ...need,
      files: allowed(need.files, this.sealed?.files, this.granted.files),
      env: allowed(need.env, this.sealed?.env, this.granted.env),
      providers: allowed(need.providers, this.sealed?.providers, this.granted.providers),
    };
  }

  private isRules(name: string): boolean {
    if (this.folder === undefined || !path.isAbsolute(name) || name.split(/[\\/]/).includes("..")) return false;
    return path.extname(name) === ".md" && path.resolve(name).startsWith(path.join(this.folder, path.sep));
  }

  /** Ends the giving. Returns the grants that hold from here on; undefined for a second Ready. */
  seal(origins: string[], judgeLog?: string): Grants | undefined {
    if (this.ready) return undefined;
    this.ready = true;
    return this.sealed ?? { ...this.granted, origins, ...(judgeLog ? { judgeLog } : {}) };
  }

  get isReady(): boolean {
    return this.ready;
  }
}

/** The answer to a need. What was asked and not admitted is told as refused, or as not there. */
export function provide(asked: Need, admitted: Need, providers: Provider[]): Provided {
  const files = (asked.files ?? []).map((name) =>
    admitted.files?.includes(name) ? readConfig(name) : { path: name, exists: true, failure: "refused by the loader" },
  );
  const env = (asked.env ?? []).map((name): Variable => {
    const value = admitted.env?.includes(name) ? process.env[name] : undefined;
    return value === undefined ? { name, set: false } : { name, value, set: true };
  });
  const known = new Map(providers.map((provider) => [provider.id, provider]));
  return {
    type: "provided",
    id: asked.id,
    files,
    env,
    providers: (asked.providers ?? []).map((id) => known.get(id) ?? { id, known: false }),
  };
}

function readConfig(name: string): File {
  if (!path.isAbsolute(name) || name.includes("\0")) return { path: name, exists: false, failure: "not an absolute path" };
  try {
    // Symlinks are followed: people keep their config in repositories of dotfiles.
    const fd = fs.openSync(name, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) return { path: name, exists: true, failure: "not a regular file" };
      if (stat.size > maxFile) return { path: name, exists: true, failure: `larger than ${maxFile} bytes` };
      return { path: name, exists: true, text: fs.readFileSync(fd, "utf8") };
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return { path: name, exists: false };
    return { path: name, exists: true, failure: describe(error) };
  }
}
