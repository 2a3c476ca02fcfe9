import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, describe, test } from "node:test";
import { Files, type Info, Refusal } from "../host/fs.ts";
import { type Listing, Listings } from "../host/listing.ts";
import { Errno, Kind } from "../host/protocol.gen.ts";
import { scratch } from "./scratch.ts";

function workspace(): { root: string; outside: string; files: Files } {
  const folder = scratch();
  const root = path.join(folder, "root");
  const outside = path.join(folder, "outside");
  fs.mkdirSync(path.join(root, "src"), { recursive: true });
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(root, "src", "a.ts"), "export const a = 1\n");
  fs.writeFileSync(path.join(outside, "secret.txt"), "the secret\n");
  return { root, outside, files: new Files(root) };
}

function must<T>(value: T | Refusal): T {
  assert.ok(!(value instanceof Refusal), `refused with ${value instanceof Refusal ? value.errno : ""}`);
  return value;
}

function errno(value: unknown): Errno {
  assert.ok(value instanceof Refusal, `was allowed: ${JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? String(v) : v))}`);
  return value.errno;
}

function read(files: Files, name: string, want: Info, offset = 0n, size = 100): string {
  const buffer = new Uint8Array(size);
  const n = must(files.read(name, want, offset, buffer));
  return Buffer.from(buffer.subarray(0, n)).toString();
}

/** The entries of a listing, as the guest reads them. */
function entries({ bytes }: Listing): { name: string; kind: Kind }[] {
  const all = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 3 + bytes.readUInt16LE(at + 1);
    all.push({ name: bytes.toString("utf8", at + 3, end), kind: bytes[at] as Kind });
    at = end;
  }
  return all;
}

function list(files: Files, folder: string): { name: string; kind: Kind }[] {
  return entries(must(files.list(folder, must(files.stat(folder)))));
}

const nobody = { dev: 0n, ino: 0n };

describe("files inside the workspace", () => {
  test("are stated, read from any offset and listed", () => {
    const { root, files } = workspace();
    const name = path.join(root, "src", "a.ts");
    const info = must(files.stat(name));
    const stat = fs.statSync(name, { bigint: true });
    assert.deepEqual(info, { kind: Kind.file, size: 19n, mtimeNs: stat.mtimeNs, dev: stat.dev, ino: stat.ino });
    assert.equal(read(files, name, info), "export const a = 1\n");
    assert.equal(read(files, name, info, 7n, 5), "const");
    assert.equal(read(files, name, info, 19n), "");
    assert.equal(read(files, name, info, 4000n), "");
    assert.deepEqual(list(files, path.join(root, "src")), [{ name: "a.ts", kind: Kind.file }]);
    assert.equal(must(files.real(name)), name);
    assert.equal(must(files.stat(root)).kind, Kind.dir);
  });

  test("are read through a link of the root's own path", () => {
    const { root } = workspace();
    const link = path.join(path.dirname(root), "link");
    fs.symlinkSync(root, link);
    const files = new Files(link);
    const name = path.join(link, "src", "a.ts");
    assert.equal(read(files, name, must(files.stat(name))), "export const a = 1\n");
    assert.equal(must(files.real(name)), path.join(root, "src", "a.ts"));
  });

  test("are listed in byte order with their kinds", () => {
    const { root, files } = workspace();
    const folder = path.join(root, "names");
    fs.mkdirSync(folder);
    for (const name of ["b", "a", "é", "\u{1f600}", "\ufffc"]) fs.writeFileSync(path.join(folder, name), "");
    fs.mkdirSync(path.join(folder, "Z"));
    fs.symlinkSync("a", path.join(folder, "l"));
    assert.deepEqual(list(files, folder), [
      { name: "Z", kind: Kind.dir },
      { name: "a", kind: Kind.file },
      { name: "b", kind: Kind.file },
      { name: "l", kind: Kind.symlink },
      { name: "é", kind: Kind.file },
      { name: "\ufffc", kind: Kind.file },
      { name: "\u{1f600}", kind: Kind.file },
    ]);
  });

  test("are listed the same whether or not all names are ASCII", () => {
    const { root, files } = workspace();
    const names = Array.from({ length: 300 }, (_, i) => `${"aZ_.-~ 0"[i % 8]}${(i * 7919) % 1000}`);
    for (const more of [[], ["\ue000", "\u{10000}", "x".repeat(255)]]) {
      const folder = fs.mkdtempSync(path.join(root, "many-"));
      for (const name of [...names, ...more]) fs.writeFileSync(path.join(folder, name), "");
      const sorted = [...new Set([...names, ...more])].map((name) => Buffer.from(name)).sort(Buffer.compare);
      assert.deepEqual(list(files, folder), sorted.map((name) => ({ name: name.toString(), kind: Kind.file })));
    }
  });

  test("a link is seen as a link and read at its target", () => {
    const { root, files } = workspace();
    const link = path.join(root, "link.ts");
    fs.symlinkSync("src/a.ts", link);
    assert.equal(must(files.stat(link)).kind, Kind.symlink);
    const real = must(files.real(link));
    assert.equal(read(files, real, must(files.stat(real))), "export const a = 1\n");
    assert.equal(errno(files.read(link, must(files.stat(real)), 0n, new Uint8Array(10))), Errno.changed);
  });
});

describe("names that are refused", () => {
  const { root, outside, files } = workspace();
  fs.symlinkSync(outside, path.join(root, "out"));
  fs.symlinkSync("loop", path.join(root, "loop"));
  fs.symlinkSync("/proc/self", path.join(root, "self"));
  const cases: [string, string, Errno][] = [
    ["a path above the root", path.dirname(root), Errno.outside],
    ["a path beside the root", path.join(outside, "secret.txt"), Errno.outside],
    ["a path that only begins like the root", root + "-other", Errno.outside],
    ["dots", root + "/src/../../outside/secret.txt", Errno.invalid],
    ["dots that stay inside", root + "/src/../src/a.ts", Errno.invalid],
    ["a dot", root + "/./src/a.ts", Errno.invalid],
    ["two slashes", root + "//src/a.ts", Errno.invalid],
    ["a slash at the end", root + "/src/", Errno.invalid],
    ["a relative path", "src/a.ts", Errno.invalid],
    ["an empty path", "", Errno.invalid],
    ["NUL", root + "/src/a.ts\0.png", Errno.invalid],
    ["an over-long path", path.join(root, "x".repeat(5000)), Errno.nameTooLong],
    ["an over-long name", path.join(root, "x".repeat(300)), Errno.nameTooLong],
    ["a file of the system", "/etc/passwd", Errno.outside],
    ["/proc", "/proc/self/environ", Errno.outside],
    ["a folder that links outside", path.join(root, "out", "secret.txt"), Errno.outside],
    ["a folder that links to /proc", path.join(root, "self", "environ"), Errno.outside],
    ["a loop of links", path.join(root, "loop", "a"), Errno.loop],
    ["another case", path.join(root, "SRC", "A.ts"), Errno.notFound],
    ["a missing file", path.join(root, "src", "missing.ts"), Errno.notFound],
    ["a file taken for a folder", path.join(root, "src", "a.ts", "b"), Errno.notDir],
  ];
  for (const [title, name, want] of cases) {
    test(title, () => {
      assert.equal(errno(files.stat(name)), want);
      assert.equal(errno(files.real(name)), want);
      assert.equal(errno(files.read(name, nobody, 0n, new Uint8Array(10))), want);
      assert.equal(errno(files.list(name, nobody)), want);
    });
  }

  test("the kernel's folders, even when the workspace is the whole disk", () => {
    const all = new Files("/");
    for (const name of ["/proc/self/environ", "/proc", "/sys/kernel", "/dev/null"]) assert.equal(errno(all.stat(name)), Errno.outside);
    assert.equal(must(all.stat(path.join(root, "src", "a.ts"))).kind, Kind.file);
    const link = path.join(root, "self", "environ");
    assert.equal(errno(all.stat(link)), Errno.outside);
  });
});

describe("what is not a regular file", () => {
  test("a FIFO is seen and not opened", () => {
    const { root, files } = workspace();
    const fifo = path.join(root, "fifo");
    execFileSync("mkfifo", [fifo]);
    const info = must(files.stat(fifo));
    assert.equal(info.kind, Kind.other);
    assert.equal(errno(files.read(fifo, info, 0n, new Uint8Array(10))), Errno.notRegular);
    assert.equal(errno(files.list(fifo, info)), Errno.notDir);
  });

  test("a folder is not read and a file not listed", () => {
    const { root, files } = workspace();
    const folder = path.join(root, "src");
    assert.equal(errno(files.read(folder, must(files.stat(folder)), 0n, new Uint8Array(10))), Errno.isDir);
    const file = path.join(folder, "a.ts");
    assert.equal(errno(files.list(file, must(files.stat(file)))), Errno.notDir);
  });

  test("a link to a device is neither followed nor opened", () => {
    const { root, files } = workspace();
    const link = path.join(root, "zero");
    fs.symlinkSync("/dev/zero", link);
    assert.equal(errno(files.real(link)), Errno.outside);
    assert.equal(errno(files.read(link, must(files.stat(link)), 0n, new Uint8Array(10))), Errno.changed);
  });
});

describe("what changes between check and open", () => {
  test("a file that became another file", () => {
    const { root, files } = workspace();
    const name = path.join(root, "src", "a.ts");
    const info = must(files.stat(name));
    fs.writeFileSync(name + ".new", "other\n");
    fs.renameSync(name + ".new", name);
    assert.equal(errno(files.read(name, info, 0n, new Uint8Array(10))), Errno.changed);
  });

  test("a file that became another file after a piece of it was read: the one that is asked for is read", () => {
    const { root, files } = workspace();
    const name = path.join(root, "src", "a.ts");
    const before = must(files.stat(name));
    assert.equal(read(files, name, before, 0n, 6), "export");
    fs.writeFileSync(name + ".new", "other\n");
    fs.renameSync(name + ".new", name);
    assert.equal(read(files, name, before, 7n, 5), "const");
    const after = must(files.stat(name));
    assert.equal(read(files, name, after), "other\n");
    assert.equal(errno(files.read(name, before, 7n, new Uint8Array(5))), Errno.changed);
    files.release();
    assert.equal(read(files, name, must(files.stat(name))), "other\n");
    files.release();
  });

  test("a file that became a link to a secret after a piece of it was read", () => {
    const { root, outside, files } = workspace();
    const name = path.join(root, "src", "a.ts");
    const info = must(files.stat(name));
    assert.equal(read(files, name, info, 0n, 6), "export");
    fs.rmSync(name);
    fs.symlinkSync(path.join(outside, "secret.txt"), name);
    assert.equal(read(files, name, info, 7n, 5), "const");
    files.release();
    assert.equal(errno(files.read(name, info, 7n, new Uint8Array(5))), Errno.changed);
  });

  test("a file that became a link to a secret", () => {
    const { root, outside, files } = workspace();
    const name = path.join(root, "src", "a.ts");
    const info = must(files.stat(name));
    fs.rmSync(name);
    fs.symlinkSync(path.join(outside, "secret.txt"), name);
    assert.equal(errno(files.read(name, info, 0n, new Uint8Array(10))), Errno.changed);
  });

  test("a folder that became a link to another with the same names", () => {
    const { root, outside, files } = workspace();
    fs.writeFileSync(path.join(outside, "a.ts"), "the secret\n");
    const name = path.join(root, "src", "a.ts");
    const info = must(files.stat(name));
    fs.renameSync(path.join(root, "src"), path.join(root, "gone"));
    fs.symlinkSync(outside, path.join(root, "src"));
    assert.equal(errno(files.read(name, info, 0n, new Uint8Array(10))), Errno.outside);
    assert.equal(errno(files.stat(name)), Errno.outside);
  });

  test("a folder that was swapped for a listing", () => {
    const { root, outside, files } = workspace();
    const folder = path.join(root, "src");
    const info = must(files.stat(folder));
    fs.renameSync(folder, path.join(root, "gone"));
    fs.symlinkSync(outside, folder);
    assert.equal(errno(files.list(folder, info)), Errno.changed);
  });

  test("a hard link to what was checked is what was checked", () => {
    const { root, files } = workspace();
    const name = path.join(root, "src", "a.ts");
    const info = must(files.stat(name));
    fs.linkSync(name, path.join(root, "b.ts"));
    assert.equal(read(files, path.join(root, "b.ts"), info), "export const a = 1\n");
  });

  /** A view whose disk changes after the checks, right before the open. */
  class Swapped extends Files {
    swap: (() => void) | undefined;
    protected override open(at: string, flags: number): number {
      this.swap?.();
      return super.open(at, flags);
    }
  }

  const swaps: [string, (root: string, outside: string) => void, Errno][] = [
    [
      "the folder, for a link to one with the same names",
      (root, outside) => {
        fs.writeFileSync(path.join(outside, "a.ts"), "the secret\n");
        fs.renameSync(path.join(root, "src"), path.join(root, "gone"));
        fs.symlinkSync(outside, path.join(root, "src"));
      },
      Errno.changed,
    ],
    [
      "the folder, for a link to one that holds the same file",
      (root, outside) => {
        fs.linkSync(path.join(root, "src", "a.ts"), path.join(outside, "a.ts"));
        fs.renameSync(path.join(root, "src"), path.join(root, "gone"));
        fs.symlinkSync(outside, path.join(root, "src"));
      },
      Errno.outside,
    ],
    [
      "the file, for a link",
      (root, outside) => {
        fs.renameSync(path.join(root, "src", "a.ts"), path.join(root, "src", "b.ts"));
        fs.symlinkSync(path.join(outside, "secret.txt"), path.join(root, "src", "a.ts"));
      },
      Errno.loop,
    ],
    [
      "the file, for a FIFO",
      (root) => {
        fs.rmSync(path.join(root, "src", "a.ts"));
        execFileSync("mkfifo", [path.join(root, "src", "a.ts")]);
      },
      Errno.notRegular,
    ],
    ["the file, for nothing", (root) => fs.rmSync(path.join(root, "src", "a.ts")), Errno.notFound],
  ];
  for (const [title, swap, want] of swaps) {
    test(`right before the open: ${title}`, () => {
      const { root, outside } = workspace();
      const files = new Swapped(root);
      const name = path.join(root, "src", "a.ts");
      const info = must(files.stat(name));
      files.swap = () => swap(root, outside);
      const buffer = new Uint8Array(100);
      assert.equal(errno(files.read(name, info, 0n, buffer)), want);
      assert.ok(buffer.every((byte) => byte === 0), "something was read");
    });
  }

  test("right before a listing: the folder, for a link", () => {
    const { root, outside } = workspace();
    const files = new Swapped(root);
    const folder = path.join(root, "src");
    const info = must(files.stat(folder));
    files.swap = () => {
      fs.renameSync(folder, path.join(root, "gone"));
      fs.symlinkSync(outside, folder);
    };
    assert.equal(errno(files.list(folder, info)), Errno.notDir);
  });
});

describe("after a listing, what is in the folder is opened through it", () => {
  const listing = () => {
    const { root, outside } = workspace();
    const files = new Files(root);
    const folder = path.join(root, "src");
    fs.mkdirSync(path.join(folder, "deep"));
    fs.writeFileSync(path.join(folder, "deep", "b.ts"), "export const b = 2\n");
    must(files.list(folder, must(files.stat(folder))));
    return { root, outside, files, folder, name: path.join(folder, "a.ts") };
  };
  const swap = (folder: string, outside: string) => {
    fs.writeFileSync(path.join(outside, "a.ts"), "the secret\n");
    fs.renameSync(folder, folder + "-gone");
    fs.symlinkSync(outside, folder);
  };

  test("and is the same as by the slow way", () => {
    const { root, files, folder, name } = listing();
    const slow = new Files(root);
    for (const at of [name, path.join(folder, "deep")]) assert.deepEqual(must(files.stat(at)), must(slow.stat(at)));
    const deep = path.join(folder, "deep");
    assert.deepEqual(list(files, deep), [{ name: "b.ts", kind: Kind.file }]);
    const b = path.join(deep, "b.ts");
    assert.equal(read(files, b, must(files.stat(b))), "export const b = 2\n");
    assert.equal(read(files, name, must(files.stat(name)), 7n, 5), "const"); // back in the folder above
    assert.equal(errno(files.stat(path.join(folder, "missing"))), Errno.notFound);
    assert.equal(errno(files.list(name, must(files.stat(name)))), Errno.notDir);
    assert.equal(errno(files.read(deep, must(files.stat(deep)), 0n, new Uint8Array(10))), Errno.isDir);
    assert.equal(errno(files.read(name, { ...must(files.stat(name)), ino: 1n }, 0n, new Uint8Array(10))), Errno.changed);
  });

  test("though the folder becomes a link to another, before and after the check", () => {
    for (const early of [true, false]) {
      const { outside, files, folder, name } = listing();
      if (early) swap(folder, outside);
      const info = must(files.stat(name));
      if (!early) swap(folder, outside);
      assert.equal(read(files, name, info), "export const a = 1\n");
    }
  });

  test("though the file becomes a link, a FIFO or nothing after the check", () => {
    for (const change of [(name: string, outside: string) => fs.symlinkSync(path.join(outside, "secret.txt"), name), (name: string) => void execFileSync("mkfifo", [name]), () => {}]) {
      const { outside, files, name } = listing();
      const info = must(files.stat(name));
      fs.rmSync(name);
      change(name, outside);
      assert.equal(read(files, name, info), "export const a = 1\n");
    }
  });

  test("and what became a link or a FIFO before the check is seen as one", () => {
    const { outside, files, folder, name } = listing();
    fs.rmSync(name);
    fs.symlinkSync(path.join(outside, "secret.txt"), name);
    const info = must(files.stat(name));
    assert.equal(info.kind, Kind.symlink);
    assert.equal(errno(files.read(name, info, 0n, new Uint8Array(10))), Errno.changed);
    const fifo = path.join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    assert.equal(must(files.stat(fifo)).kind, Kind.other);
    assert.equal(errno(files.read(fifo, must(files.stat(fifo)), 0n, new Uint8Array(10))), Errno.notRegular);
  });

  test("and names that lead out of it are refused, as before the listing", () => {
    const { root, files, folder } = listing();
    must(files.list(root, must(files.stat(root))));
    must(files.list(folder, must(files.stat(folder))));
    for (const name of [`${root}/..`, `${root}/.`, `${root}/`, `${folder}/..`, `${folder}/.`, `${folder}/`, `${folder}/a.ts\0`]) {
      assert.equal(errno(files.stat(name)), Errno.invalid, JSON.stringify(name));
      assert.equal(errno(files.list(name, nobody)), Errno.invalid, JSON.stringify(name));
    }
    const all = new Files("/");
    must(all.list("/", must(all.stat("/"))));
    for (const name of ["/proc", "/sys", "/dev"]) assert.equal(errno(all.stat(name)), Errno.outside);
    all.release();
    files.release();
  });

  test("also when the walk comes back after more folders than are kept open", () => {
    const { root, outside, files } = listing();
    const top = path.join(root, "top.ts");
    fs.writeFileSync(top, "export const top = 1\n");
    must(files.list(root, must(files.stat(root))));
    for (let i = 0; i < 70; i++) {
      const at = path.join(root, `d${i}`);
      fs.mkdirSync(at);
      fs.writeFileSync(path.join(at, "a.ts"), `${i}`);
      must(files.list(at, must(files.stat(at))));
      const name = path.join(at, "a.ts");
      swap(at, outside);
      assert.equal(read(files, name, must(files.stat(name))), `${i}`);
    }
    swap(root, outside);
    assert.equal(read(files, top, must(files.stat(top))), "export const top = 1\n");
    files.release();
  });

  test("until the call is over, and nothing stays open", () => {
    const open = () => fs.readdirSync("/proc/self/fd").length;
    const before = open();
    const { root, outside, files, folder, name } = listing();
    for (let i = 0; i < 100; i++) fs.mkdirSync(path.join(root, `d${i}`));
    for (let i = 0; i < 100; i++) must(files.list(path.join(root, `d${i}`), must(files.stat(path.join(root, `d${i}`)))));
    must(files.list(folder, must(files.stat(folder))));
    must(files.list(folder, must(files.stat(folder))));
    must(files.stat(name));
    assert.ok(open() <= before + 66, `${open() - before} files are open`);
    files.release();
    assert.equal(open(), before);
    swap(folder, outside);
    assert.equal(errno(files.stat(name)), Errno.outside);
  });
});

describe("a folder that has not changed is not read again", () => {
  const { now } = Date;
  const later = () => {
    Date.now = () => now() + 10_000;
  };
  afterEach(() => {
    Date.now = now;
  });

  /** Waits until a change shows in a time of the disk. */
  const tick = (folder: string) => {
    const before = fs.statSync(folder, { bigint: true }).ctimeNs;
    const probe = path.join(scratch(), "probe");
    do fs.writeFileSync(probe, "");
    while (fs.statSync(probe, { bigint: true }).ctimeNs <= before);
  };
  const listing = (files: Files, folder: string): Listing => {
    const all = must(files.list(folder, must(files.stat(folder))));
    files.release();
    return all;
  };
  /** The same through the folder above it, which is listed first. */
  const through = (files: Files, folder: string): Listing => {
    must(files.list(path.dirname(folder), must(files.stat(path.dirname(folder)))));
    return listing(files, folder);
  };

  test("by whichever way it is reached", () => {
    const { root, files } = workspace();
    const folder = path.join(root, "src");
    later();
    const first = listing(files, folder);
    assert.equal(listing(files, folder), first);
    assert.equal(through(files, folder), first);
  });

  const changes: [string, (folder: string) => void][] = [
    ["a new file", (folder) => fs.writeFileSync(path.join(folder, "b.ts"), "")],
    ["a file that is gone", (folder) => fs.rmSync(path.join(folder, "a.ts"))],
    ["a file of another name", (folder) => fs.renameSync(path.join(folder, "a.ts"), path.join(folder, "c.ts"))],
    [
      "a file that became a link",
      (folder) => {
        fs.symlinkSync("/etc/passwd", path.join(folder, "link"));
        fs.renameSync(path.join(folder, "link"), path.join(folder, "a.ts"));
      },
    ],
    [
      "another folder of its name",
      (folder) => {
        fs.renameSync(folder, `${folder}-gone`);
        fs.mkdirSync(folder);
      },
    ],
  ];
  for (const [title, change] of changes) {
    test(`but one with ${title} is`, () => {
      for (const way of [listing, through]) {
        const { root, files } = workspace();
        const folder = path.join(root, "src");
        later();
        const before = way(files, folder);
        assert.equal(way(files, folder), before);
        tick(folder);
        change(folder);
        const after = way(files, folder);
        assert.notDeepEqual(entries(after), entries(before));
        assert.deepEqual(after, listing(new Files(root), folder));
      }
    });
  }

  test("but one that changed a moment ago is: its time may not show the next change", () => {
    const { root, files } = workspace();
    const folder = path.join(root, "src");
    assert.notEqual(listing(files, folder), listing(files, folder));
  });

  test("and is refused when a link stands in its place", () => {
    const { root, outside, files } = workspace();
    const folder = path.join(root, "src");
    later();
    const info = must(files.stat(folder));
    must(files.list(folder, info));
    files.release();
    fs.renameSync(folder, path.join(outside, "src"));
    fs.symlinkSync(path.join(outside, "src"), folder);
    assert.equal(errno(files.list(folder, info)), Errno.changed);
  });

  test("nor opened, until something in it is", () => {
    const { root } = workspace();
    const opened: string[] = [];
    const files = new (class extends Files {
      protected override open(at: string, flags: number): number {
        opened.push(path.basename(at));
        return super.open(at, flags);
      }
    })(root);
    const handles = () => fs.readdirSync("/proc/self/fd").length;
    const before = handles();
    const folder = path.join(root, "src");
    const name = path.join(folder, "a.ts");
    later();
    through(files, folder);
    opened.length = 0;
    must(files.list(root, must(files.stat(root))));
    must(files.list(folder, must(files.stat(folder))));
    assert.deepEqual(opened, [path.basename(root)]);
    assert.equal(read(files, name, must(files.stat(name))), "export const a = 1\n");
    assert.equal(read(files, name, must(files.stat(name))), "export const a = 1\n");
    assert.deepEqual(opened, [path.basename(root), "src", "a.ts", "a.ts"]);
    files.release();
    assert.equal(handles(), before);
  });

  const instead: [string, (folder: string, outside: string) => void, Errno | undefined][] = [
    ["a link that leads out", (folder, outside) => fs.symlinkSync(outside, folder), Errno.outside],
    ["a link that stays inside", (folder) => fs.symlinkSync(`${folder}-gone`, folder), undefined],
    ["another folder", (folder) => fs.cpSync(`${folder}-gone`, folder, { recursive: true }), undefined],
    ["a file", (folder) => fs.writeFileSync(folder, ""), Errno.notDir],
    ["nothing", () => {}, Errno.notFound],
  ];
  for (const [title, put, want] of instead) {
    test(`and ${title} that takes its place is judged as if it had never been listed`, () => {
      const { root, outside, files } = workspace();
      fs.writeFileSync(path.join(outside, "a.ts"), "the secret\n");
      const folder = path.join(root, "src");
      const name = path.join(folder, "a.ts");
      later();
      through(files, folder);
      must(files.list(root, must(files.stat(root))));
      must(files.list(folder, must(files.stat(folder))));
      fs.renameSync(folder, `${folder}-gone`);
      put(folder, outside);
      for (let i = 0; i < 2; i++) {
        if (want !== undefined) assert.equal(errno(files.stat(name)), want);
        else assert.deepEqual(must(files.stat(name)), must(new Files(root).stat(name)));
      }
      files.release();
    });
  }

  test("unless too many others were read since", () => {
    const { root } = workspace();
    const folder = path.join(root, "src");
    const listings = new Listings(root);
    const state = fs.lstatSync(folder, { bigint: true });
    later();
    const first = listings.read("first", state, folder);
    assert.equal(listings.read("first", state, folder), first);
    for (let i = 0; i < 11_000; i++) listings.read(`${i}`, state, folder);
    assert.notEqual(listings.read("first", state, folder), first);
  });
});
