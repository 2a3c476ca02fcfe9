import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Lease } from "../host/lease.ts";
import { places } from "../host/paths.ts";
import { appendRecord, maxRecordBytes } from "../host/record.ts";
import { processOwner, Store } from "../host/store.ts";
import { scratch } from "./scratch.ts";

const key = "0123456789abcdef0123456789abcdef";

function fileOf(folder: string, session: string): string {
  return path.join(folder, "sessions", `${createHash("sha256").update(session).digest("hex")}.json`);
}

/** A folder in which nothing can be made, for root too: its place is taken by a file. */
function unwritable(): string {
  const file = path.join(scratch(), "file");
  fs.writeFileSync(file, "");
  return path.join(file, "state");
}

/** Runs act with a folder of its own as somebody whom the permissions of files hold. */
function withoutRoot(act: (folder: string) => void): void {
  const folder = path.join(scratch(), "own");
  fs.mkdirSync(folder);
  if (process.getuid?.() !== 0) return act(folder);
  const nobody = 65_534;
  fs.chmodSync(path.dirname(folder), 0o711);
  fs.chownSync(folder, nobody, nobody);
  process.seteuid!(nobody);
  try {
    act(folder);
  } finally {
    process.seteuid!(0);
  }
}

describe("the state of a session", () => {
  test("comes back as it was saved, in a file that others cannot read", () => {
    const folder = scratch();
    const state = { version: 1, notes: ["é", null, 1.5], nested: { a: [] } };
    assert.equal(new Store(folder, "o").save("ses_1/../x", state), undefined);
    assert.deepEqual(new Store(folder, "o").load("ses_1/../x"), { state, reviewer: true });
    const file = fileOf(folder, "ses_1/../x");
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    assert.equal(fs.statSync(path.dirname(file)).mode & 0o777, 0o700);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), [path.basename(file)], "no temporary file is left");
  });

  test("is nothing at first, and after it was forgotten", () => {
    const store = new Store(scratch(), "o");
    assert.deepEqual(store.load("s"), { reviewer: true });
    store.save("s", { a: 1 });
    store.forget("s");
    assert.deepEqual(store.load("s"), { reviewer: true });
  });

  const broken: [string, (file: string) => void, RegExp][] = [
    ["half a file", (file) => fs.writeFileSync(file, '{"version":1,"no'), /not JSON; kept as .*\.bad$/],
    ["an empty file", (file) => fs.writeFileSync(file, ""), /not JSON; kept as .*\.bad$/],
    ["a file of 9 MB", (file) => fs.writeFileSync(file, "x".repeat(9e6)), /larger than 8388608 bytes; kept as/],
    ["a folder", (file) => fs.mkdirSync(file), /not a regular file; kept as|illegal operation on a directory.*; kept as|EISDIR.*; kept as/],
    ["a link to another file", (file) => fs.symlinkSync("/etc/hostname", file), /(ELOOP|symbolic link).*; kept as/],
  ];
  for (const [title, breakIt, want] of broken) {
    test(`that cannot be read is set aside: ${title}`, () => {
      const folder = scratch();
      const store = new Store(folder, "o");
      const file = fileOf(folder, "s");
      breakIt(file);
      const loaded = store.load("s");
      assert.equal(loaded.state, undefined);
      assert.match(loaded.failure ?? "", want);
      assert.ok(fs.lstatSync(`${file}.bad`), "it is kept");
      assert.deepEqual(store.load("s"), { reviewer: true }, "the next load finds nothing");
      assert.equal(store.save("s", { b: 2 }), undefined);
      assert.deepEqual(store.load("s").state, { b: 2 });
    });
  }

  test("that the guest finds damaged is set aside, and the session goes on under its lease", () => {
    const folder = scratch();
    const store = new Store(folder, "o");
    assert.equal(store.save("s", { guard: "damaged" }), undefined);
    assert.equal(store.load("s").reviewer, true);
    store.forget("s", true);
    assert.equal(fs.readFileSync(`${fileOf(folder, "s")}.bad`, "utf8"), '{"guard":"damaged"}');
    assert.deepEqual(store.load("s"), { reviewer: true });
    assert.equal(new Store(folder, "p").load("s").reviewer, false, "the lease is still held");
  });

  test("larger than 8 MB is not saved", () => {
    assert.match(new Store(scratch(), "o").save("s", "x".repeat(9e6)) ?? "", /larger than 8388608 bytes/);
  });

  test("is one of 200; those that were used last stay", () => {
    const folder = scratch();
    const store = new Store(folder, "o");
    for (let i = 0; i < 210; i++) {
      store.save(`s${i}`, { i });
      fs.utimesSync(fileOf(folder, `s${i}`), 1000 + i, 1000 + i);
    }
    store.load("s0"); // used now
    for (let i = 0; i < 32; i++) store.save("s209", { i: 209 }); // one of these looks at the number
    assert.ok(fs.readdirSync(path.join(folder, "sessions")).length <= 200);
    assert.deepEqual(store.load("s0").state, { i: 0 });
    assert.equal(store.load("s1").state, undefined);
    assert.deepEqual(store.load("s208").state, { i: 208 });
  });
});

describe("a fork", () => {
  test("of which nothing is stored gets the state of its origin, which keeps its lease", () => {
    const folder = scratch();
    const [a, b] = [new Store(folder, "a"), new Store(folder, "b")];
    b.load("origin");
    b.save("origin", { from: "origin" });
    assert.deepEqual(a.load("fork", "origin"), { inherited: { from: "origin" }, reviewer: true });
    assert.deepEqual(a.load("fork", "unknown"), { reviewer: true });
    a.save("fork", { from: "fork" });
    assert.deepEqual(a.load("fork", "origin"), { state: { from: "fork" }, reviewer: true });
    assert.equal(a.load("origin").reviewer, false);
  });
});

describe("a claim", () => {
  test("is granted once, to one of all stores on the folder", () => {
    const folder = scratch();
    assert.deepEqual(new Store(folder, "a").claim("s1", key), { granted: true });
    assert.deepEqual(new Store(folder, "b").claim("s1", key), { granted: false, reason: "taken" });
    assert.deepEqual(new Store(folder, "a").claim("s1", key), { granted: false, reason: "taken" });
    assert.deepEqual(new Store(folder, "a").claim("s1", key.replace("0", "f")), { granted: true });
  });

  test("tells when another process last claimed a wake of the session", () => {
    const folder = scratch();
    const [a, b] = [new Store(folder, "a"), new Store(folder, "b")];
    const other = (n: string) => key.replace("0", n);
    const before = Date.now();
    assert.equal(a.claim("s1", key).other, undefined);
    assert.equal(a.claim("s1", other("1")).other, undefined, "its own");
    assert.equal(b.claim("s2", other("2")).other, undefined, "another session's");
    const seen = b.claim("s1", other("3"));
    assert.ok(seen.granted && seen.other! >= before && seen.other! <= Date.now());
    assert.ok(a.claim("s1", other("4")).other! >= seen.other!);
    // Another one is about to write its claim down.
    const file = fs.readdirSync(path.join(folder, "claims")).find((name) => name.endsWith(other("3")))!;
    fs.writeFileSync(path.join(folder, "claims", file), "");
    assert.ok(b.claim("s1", other("5")).other! >= before);
  });

  test("has a name of 32 hex digits and no other", () => {
    const folder = scratch();
    const store = new Store(folder, "o");
    for (const bad of ["", "x", `../${key.slice(3)}`, key.toUpperCase(), `${key}\n`, `${key}0`]) {
      assert.deepEqual(store.claim("s1", bad), { granted: false, reason: "invalid" });
    }
    assert.deepEqual(fs.readdirSync(path.join(folder, "claims")), ["made"]);
  });

  test("goes to one of two processes that ask at the same moment", async () => {
    const folder = scratch();
    new Store(folder, "o");
    const ask = fileURLToPath(new URL("claim.entry.js", import.meta.url));
    const grants = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<string[]>((resolve, reject) => {
            const child = spawn(process.execPath, [ask, folder], { stdio: ["ignore", "pipe", "inherit"] });
            let out = "";
            child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
            child.on("error", reject);
            child.on("exit", (code) => (code === 0 ? resolve(out.split("\n").filter(Boolean)) : reject(new Error(`exit ${code}`))));
          }),
      ),
    );
    const all = grants.flat();
    assert.equal(all.length, 50);
    assert.equal(new Set(all).size, 50, "none was granted twice");
  });
});

describe("what killed processes leave behind", () => {
  test("is removed after a day", () => {
    const folder = scratch();
    const store = new Store(folder, processOwner());
    store.load("mine");
    const lease = fs.readdirSync(path.join(folder, "leases"));
    const old = ["leases/a.lease", "leases/a.lease.1.2", "sessions/a.json.1.tmp", "sessions/a.json.bad"];
    const young = ["leases/b.lease", "sessions/b.json.1.tmp"];
    for (const name of [...old, ...young]) fs.writeFileSync(path.join(folder, name), "x");
    const yesterday = Date.now() / 1000 - 25 * 3600;
    for (const name of old) fs.utimesSync(path.join(folder, name), yesterday, yesterday);
    store.save("mine", {});
    assert.deepEqual(fs.readdirSync(path.join(folder, "leases")).sort(), [...lease, "b.lease"].sort());
    assert.deepEqual(fs.readdirSync(path.join(folder, "sessions")).filter((name) => name.length < 20).sort(), ["a.json.bad", "b.json.1.tmp"]);
  });
});

describe("a folder that cannot be written", () => {
  test("costs the memory of restarts and the right to wake, and is told once", () => {
    const told: string[] = [];
    const store = new Store(unwritable(), "o", (reason) => told.push(reason));
    assert.match(store.save("s", { a: 1 }) ?? "", /^save state: /);
    assert.deepEqual(store.load("s"), { state: { a: 1 }, reviewer: true }, "it is kept in memory");
    assert.deepEqual(store.claim("s1", key), { granted: false, reason: "unwritable" });
    store.append("advisor", "line");
    store.heartbeat();
    store.forget("s");
    assert.deepEqual(store.load("s"), { reviewer: true });
    store.close();
    assert.equal(told.length, 1);
    assert.notEqual(store.unwritable, undefined);
  });

  for (const name of ["sessions", "claims"]) {
    test(`costs nothing more once it can be written again: ${name}`, () => {
      const folder = scratch();
      const told: string[] = [];
      const store = new Store(folder, "o", (reason) => told.push(reason));
      const place = path.join(folder, name);
      for (let round = 0; round < 2; round++) {
        fs.renameSync(place, `${place}.aside`);
        fs.writeFileSync(place, "");
        store.save("s", { round });
        assert.deepEqual(store.claim("s", key), { granted: false, reason: "unwritable" });
        fs.rmSync(place);
        fs.renameSync(`${place}.aside`, place);
        assert.equal(store.save("s", { round }), undefined);
      }
      assert.deepEqual(store.claim("s", key), { granted: true });
      assert.equal(told.length, 1);
    });
  }

  test("is made again where it was removed", () => {
    const folder = path.join(scratch(), "state");
    const told: string[] = [];
    const store = new Store(folder, "o", (reason) => told.push(reason));
    for (const use of [() => store.save("s", { a: 1 }), () => store.append("advisor", "line"), () => store.tally("2026-12-01", "x")]) {
      fs.rmSync(folder, { recursive: true });
      use();
    }
    assert.equal(store.save("s", { a: 1 }), undefined);
    assert.deepEqual(new Store(folder, "o").load("s"), { state: { a: 1 }, reviewer: true });
    assert.deepEqual(told, []);
  });

  test("forgets claims when it is removed, so that no process that runs makes another", () => {
    const folder = path.join(scratch(), "state");
    const [first, lagging] = [new Store(folder, "a"), new Store(folder, "b")];
    assert.deepEqual(first.claim("s", key), { granted: true });
    fs.rmSync(folder, { recursive: true });
    assert.equal(first.save("s", { a: 1 }), undefined);
    for (const store of [first, lagging]) assert.deepEqual(store.claim("s", key), { granted: false, reason: "unwritable" });
  });

  test("forgets claims when it is removed, though a process that starts makes it again", () => {
    const folder = path.join(scratch(), "state");
    const [first, lagging] = [new Store(folder, "a"), new Store(folder, "b")];
    assert.deepEqual(first.claim("s", key), { granted: true });
    fs.rmSync(folder, { recursive: true });
    const third = new Store(folder, "c");
    for (const store of [lagging, first]) assert.equal(store.claim("s", key).granted, false);
    assert.equal(third.claim("s", key.replace("0", "f")).granted, true);
    assert.equal(new Store(folder, "d").claim("s", key.replace("0", "e")).granted, true);
  });

  test("is not made again for its claims by a later thread of the same process", () => {
    const folder = path.join(scratch(), "state");
    new Store(folder, "a");
    fs.rmSync(folder, { recursive: true });
    assert.equal(new Store(folder, "a", () => {}, true).claim("s", key).granted, false);
  });

  test("knows its claims for the same after the old ones went", () => {
    const folder = scratch();
    void new Store(folder, "o");
    const claims = path.join(folder, "claims");
    const old = new Date(Date.now() - 91 * 24 * 60 * 60 * 1000);
    for (let i = 0; i < 2_001; i++) fs.writeFileSync(path.join(claims, `x.${i}`), "");
    for (const name of fs.readdirSync(claims)) fs.utimesSync(path.join(claims, name), old, old);
    const [before, after] = [new Store(folder, "p"), new Store(folder, "q")];
    before.save("s", {});
    assert.deepEqual(fs.readdirSync(claims), ["made"]);
    assert.equal(after.claim("s", key).granted, true);
  });

  test("bounds what is kept in memory", () => {
    const store = new Store(unwritable(), "o");
    for (let i = 0; i < 300; i++) store.save(`s${i}`, { i });
    assert.equal(store.load("s99").state, undefined);
    assert.deepEqual(store.load("s100").state, { i: 100 });
  });
});

describe("a ledger", () => {
  const day = "2026-12-01";

  test("is one for all stores on the folder, and is read from where a reader stands", () => {
    const folder = scratch();
    const [a, b] = [new Store(folder, "a"), new Store(folder, "b")];
    assert.deepEqual(a.tally(day, undefined, 0), {}, "there is none yet");
    assert.deepEqual(a.tally(day, "a 1", 0), { text: "a 1\n", next: 4 });
    assert.deepEqual(b.tally(day, "b 2", 4), { text: "b 2\n", next: 8 });
    assert.deepEqual(a.tally(day, "", 4), { text: "b 2\n", next: 8 });
    assert.deepEqual(a.tally(day, "", 8), { text: "", next: 8 });
    assert.deepEqual(a.tally(day, "a 3"), {}, "nobody asks what stands there");
    assert.deepEqual(b.tally(day, "", 8), { text: "a 3\n", next: 12 });
    assert.deepEqual(a.tally("2026-12-02", "", 0), {}, "another day is another ledger");
  });

  test("gives whole lines, and takes one line at a time", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    store.tally(day, "one\ntwo\u00e4" + "x".repeat(500), 0);
    const file = path.join(folder, "ledgers", day);
    assert.equal(fs.readFileSync(file, "utf8").split("\n").length, 2);
    assert.ok(fs.statSync(file).size <= 201);
    fs.writeFileSync(file, "whole\nhal");
    assert.deepEqual(store.tally(day, undefined, 0), { text: "whole\n", next: 6 });
  });

  test("has a day as its name and no other, and old ones go", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    for (const bad of ["", "..", "../2026-12-01", "2026-12-1", `${day}/x`]) assert.ok(store.tally(bad, "x", 0).failure);
    for (let i = 0; i < 60; i++) store.tally(`20${10 + i}-01-01`, "x", 0);
    const left = fs.readdirSync(path.join(folder, "ledgers"));
    assert.ok(left.length <= 41 && left.includes("2069-01-01"), String(left.length));
  });

  test("that cannot be written is told", () => {
    assert.ok(new Store(unwritable(), "a").tally(day, "x", 0).failure);
  });
});

describe("wishes", () => {
  const wish = (about: string) => JSON.stringify({ do: "mute", about });
  const fileFor = (folder: string, session: string) => fileOf(folder, session).replace("sessions", "wishes") + "l";

  test("are one list for all stores, and are read from where a reader stands", () => {
    const folder = scratch();
    const [host, person] = [new Store(folder, "host"), new Store(folder, "person")];
    assert.deepEqual(host.heed("s1", undefined, 0), {}, "there are none yet");
    assert.deepEqual(fs.readdirSync(path.join(folder, "wishes")), [], "looking makes nothing");
    const one = `\n${wish("日本.ts")}\n`;
    const next = Buffer.byteLength(one);
    assert.deepEqual(person.heed("s1", wish("日本.ts"), 0), { text: one, next });
    assert.deepEqual(host.heed("s1", undefined, 0), { text: one, next });
    assert.deepEqual(host.heed("s1", undefined, next), { text: "", next });
    assert.deepEqual(host.heed("s2", undefined, 0), {}, "another session has its own");
    person.heed("s1", 'two\nlines\r\n', 0);
    assert.equal(host.heed("s1", undefined, next).text, "\ntwo lines \n");
    assert.equal(fs.statSync(fileFor(folder, "s1")).mode & 0o777, 0o600);
  });

  test("of several processes that leave them at once are all there, each once, while another reads", async () => {
    const folder = scratch();
    const host = new Store(folder, "host");
    const script = fileURLToPath(new URL("wish.entry.js", import.meta.url));
    let running = 3;
    const ends = ["a", "b", "c"].map((name) => new Promise((resolve) => spawn(process.execPath, [script, folder, name], { stdio: "inherit" }).on("close", (code) => (running--, resolve(code)))));
    let from = 0;
    const heard: string[] = [];
    const look = () => {
      const { text = "", next = 0, failure } = host.heed("s1", undefined, from);
      assert.equal(failure, undefined);
      for (const line of text.split("\n")) if (line) heard.push((JSON.parse(line) as { about: string }).about);
      from = next;
    };
    while (running > 0) {
      look();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await Promise.all(ends), [0, 0, 0]);
    look();
    for (const name of ["a", "b", "c"]) {
      assert.deepEqual(
        heard.filter((about) => about.startsWith(`${name}-`)),
        Array.from({ length: 100 }, (_, i) => `${name}-${i}`),
      );
    }
    assert.equal(heard.length, 300);
  });

  test("are whole lines: what a full disk cut off spoils no other", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    store.heed("s1", wish("a"), 0);
    fs.appendFileSync(fileFor(folder, "s1"), '{"do":"mute","about":"cut o');
    const { text, next } = store.heed("s1", undefined, 0);
    assert.equal(text, `\n${wish("a")}\n`);
    assert.equal(store.heed("s1", wish("b"), next!).text, `{"do":"mute","about":"cut o\n${wish("b")}\n`);
  });

  test("that are shorter than what was read are others, and read from their beginning", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    assert.equal(store.heed("s1", wish("a"), 10_000).text, `\n${wish("a")}\n`);
  });

  const odd: [string, (file: string) => void, RegExp][] = [
    ["a link", (file) => fs.symlinkSync(path.join(path.dirname(file), "target"), file), /ELOOP|symbolic link/],
    ["a folder", (file) => fs.mkdirSync(file), /EISDIR|not a regular file/],
    ["a pipe", (file) => assert.equal(spawnSync("mkfifo", [file]).status, 0), /ENXIO|not a regular file/],
  ];
  for (const [title, make, want] of odd) {
    test(`are not read from ${title}, nor left there`, () => {
      const folder = scratch();
      const store = new Store(folder, "a", (reason) => assert.fail(reason));
      const target = path.join(folder, "wishes", "target");
      fs.writeFileSync(target, "the person's\n");
      const file = fileFor(folder, "s1");
      make(file);
      for (const line of [undefined, wish("a")]) {
        const { text, failure } = store.heed("s1", line, 0);
        assert.equal(text, undefined);
        assert.match(failure ?? "", want);
        assert.ok(failure!.startsWith(file), failure);
      }
      assert.equal(fs.readFileSync(target, "utf8"), "the person's\n");
      assert.equal(store.save("s1", { a: 1 }), undefined, "one odd file says nothing of the folder");
    });
  }

  test("have a bound, behind which none is left and those before are read", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    const file = fileFor(folder, "s1");
    fs.writeFileSync(file, `${wish("a")}\n`.repeat(20_000));
    const { size } = fs.statSync(file);
    assert.match(store.heed("s1", wish("b"), 0).failure ?? "", /larger than 262144 bytes/);
    assert.equal(fs.statSync(file).size, size);
    let from = 0;
    for (let looks = 0; from < size; looks++) {
      assert.ok(looks < 5, "no end");
      const { text, next } = store.heed("s1", undefined, from);
      assert.ok(text!.endsWith("\n") && text!.length <= 262_144);
      from = next!;
    }
  });

  test("go with their session, and stay when its state is set aside", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    store.save("s1", { a: 1 });
    store.heed("s1", wish("a"), 0);
    store.forget("s1", true);
    assert.equal(store.heed("s1", undefined, 0).text, `\n${wish("a")}\n`);
    store.forget("s1");
    assert.deepEqual(store.heed("s1", undefined, 0), {});
    store.save("old", { a: 1 });
    store.heed("old", wish("a"), 0);
    fs.utimesSync(fileOf(folder, "old"), 1, 1);
    for (let i = 0; i < 300; i++) store.save(`s${i}`, { i });
    assert.deepEqual(fs.readdirSync(path.join(folder, "wishes")), [], "nothing is left of a session that went");
  });

  test("that cannot be left are told", () => {
    assert.ok(new Store(unwritable(), "a").heed("s1", wish("a"), 0).failure);
  });
});

describe("a recording", () => {
  const recordings = (folder: string) => fs.readdirSync(path.join(folder, "recordings")).map((name) => path.join(folder, "recordings", name));

  test("is one file for a process, the person's alone, and few are kept", () => {
    const folder = scratch();
    for (let i = 10; i < 25; i++) fs.mkdirSync(path.join(folder, "recordings"), { recursive: true }), fs.writeFileSync(path.join(folder, "recordings", `20${i}.jsonl`), "");
    const store = new Store(folder, "a");
    store.record("one");
    store.record("two");
    const all = recordings(folder).sort();
    assert.equal(all.length, 10);
    const mine = all.find((file) => fs.statSync(file).size > 0)!;
    assert.equal(fs.readFileSync(mine, "utf8"), "one\ntwo\n");
    assert.equal(fs.statSync(mine).mode & 0o777, 0o600);
  });

  test("ends at its bound with a line that says so", () => {
    const folder = scratch();
    const store = new Store(folder, "a");
    const line = "x".repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) store.record(line);
    const [file] = recordings(folder);
    assert.ok(fs.statSync(file!).size <= 32 * 1024 * 1024 + 200);
    const lines = fs.readFileSync(file!, "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 32);
    assert.match(lines.at(-1)!, /^\{"kind":"end","why":"the recording has reached 33554432 bytes/);
  });

  test("costs nothing where the folder cannot be written", () => {
    new Store(unwritable(), "a").record("line");
  });
});

describe("a log", () => {
  test("has one line for each entry and is moved aside when it is large", () => {
    const folder = scratch();
    const store = new Store(folder, "o");
    store.append("judge", "one\ntwo\r\nthree");
    const file = path.join(folder, "logs", "judge.log");
    assert.equal(fs.readFileSync(file, "utf8"), "one two three\n");
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    for (let i = 0; i < 40; i++) store.append("judge", "x".repeat(100_000));
    assert.ok(fs.statSync(file).size < 2.2e6);
    assert.ok(fs.statSync(`${file}.1`).size > 2e6);
    assert.deepEqual(fs.readdirSync(path.join(folder, "logs")).sort(), ["judge.log", "judge.log.1"]);
  });

  test("of the judge lies where the person wants it, is nobody else's, and is moved aside when it is large", () => {
    const file = path.join(scratch(), "a", "b", "decisions.jsonl");
    appendRecord(file, '{"n":1,\n"m":2}');
    appendRecord(file, '{"n":2}');
    assert.equal(fs.readFileSync(file, "utf8"), '{"n":1, "m":2}\n{"n":2}\n');
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    assert.equal(fs.statSync(path.dirname(file)).mode & 0o777, 0o700);
    fs.chmodSync(file, 0o644);
    appendRecord(file, "x".repeat(50), 60);
    assert.equal(fs.readFileSync(file, "utf8"), `${"x".repeat(50)}\n`);
    assert.match(fs.readFileSync(`${file}.1`, "utf8"), /"n":2/);
    appendRecord(file, "y".repeat(100), 60); // a line is never split
    assert.equal(fs.readFileSync(file, "utf8"), `${"y".repeat(100)}\n`);
    fs.chmodSync(file, 0o644);
    appendRecord(file, "z", 1000);
    assert.equal(fs.statSync(file).mode & 0o777, 0o600, "one that others could read is closed to them");
    assert.equal(maxRecordBytes, 50 * 1024 * 1024);
    assert.throws(() => appendRecord("relative.jsonl", "x"), /not an absolute path/);
    assert.throws(() => appendRecord(path.dirname(file), "x"));
  });

  test("with another name is not written", () => {
    const folder = scratch();
    const store = new Store(folder, "o");
    for (const name of ["../x", "", "A", "a.b", "/etc/x"]) store.append(name, "line");
    assert.deepEqual(fs.readdirSync(path.join(folder, "logs")), []);
  });
});

describe("the person's folders", () => {
  const homeless = (): string => {
    throw new Error("uv_os_homedir returned ENOENT");
  };

  test("never lie in the project", () => {
    const before = process.env["HOME"];
    try {
      for (const home of ["", "here", undefined]) {
        if (home === undefined) delete process.env["HOME"];
        else process.env["HOME"] = home;
        for (const place of Object.values(places({ ...process.env, XDG_STATE_HOME: "here" }))) assert.ok(path.isAbsolute(place), `${home}: ${place}`);
      }
    } finally {
      process.env["HOME"] = before;
    }
  });

  test("are found where the system knows no home", () => {
    assert.equal(places({}, [homeless, () => "/home/b"]).stateHome, "/home/b/.local/state");
    assert.equal(places({}, [homeless, homeless]).home, "/nonexistent");
    const elsewhere = places({ XDG_STATE_HOME: "/state" }, [homeless]);
    assert.deepEqual([elsewhere.stateHome, elsewhere.configHome], ["/state", "/nonexistent/.config"]);
  });
});

describe("a lease", () => {
  // A process that lives and is not this one, seen from this one: init.
  const other = `${os.hostname()} 1 0`;
  const lease = (folder: string, owner: string) => {
    fs.mkdirSync(folder, { recursive: true });
    return new Lease(folder, owner);
  };

  test("belongs to one owner until it is released", () => {
    const folder = scratch();
    const first = lease(folder, other);
    const second = lease(folder, processOwner());
    assert.equal(first.take("s"), true);
    assert.equal(second.take("s"), false);
    assert.equal(first.take("s"), true, "its owner may ask again");
    first.release("s");
    assert.equal(second.take("s"), true);
    assert.equal(first.take("s"), false);
  });

  test("of a process that has ended is free", () => {
    const folder = scratch();
    fs.writeFileSync(path.join(folder, "s.lease"), `${os.hostname()} 4194300 0`); // above the largest id of a process
    assert.equal(lease(folder, processOwner()).take("s"), true);
    assert.deepEqual(fs.readdirSync(folder), ["s.lease"]);
  });

  test("whose owner has not been heard of is free, on another machine too", () => {
    const folder = scratch();
    const file = path.join(folder, "s.lease");
    fs.writeFileSync(file, "elsewhere 1 0");
    const mine = lease(folder, processOwner());
    assert.equal(mine.take("s"), false);
    const old = Date.now() / 1000 - 600;
    fs.utimesSync(file, old, old);
    assert.equal(mine.take("s"), true);
  });

  test("whose last beat lies in the future is free: a clock was set back since, or is another machine's", () => {
    const folder = scratch();
    for (const owner of ["elsewhere 1 0", other]) {
      const file = path.join(folder, "s.lease");
      fs.writeFileSync(file, owner);
      const year = Date.now() / 1000 + 365 * 24 * 3600;
      fs.utimesSync(file, year, year);
      assert.equal(lease(folder, processOwner()).take("s"), true, owner);
      fs.rmSync(file);
    }
  });

  /** A file that cannot be moved away, as on a disk that was made read-only: a folder stands where it would go. */
  const stuck = (folder: string) => {
    const file = path.join(folder, "s.lease");
    fs.mkdirSync(path.join(`${file}.${process.pid}.${Math.round(performance.timeOrigin)}`, "full"), { recursive: true });
    return file;
  };

  test("of a dead process that cannot be taken away holds nobody up", () => {
    const folder = scratch();
    fs.writeFileSync(stuck(folder), `${os.hostname()} 4194300 0`);
    const mine = lease(folder, processOwner());
    assert.equal(mine.take("s"), true);
    assert.equal(mine.take("s"), true);
  });

  test("of another user, which cannot be read, is free once it is old", () => {
    withoutRoot((folder) => {
      const file = path.join(folder, "s.lease");
      fs.writeFileSync(file, "root 1 0", { mode: 0o200 });
      const mine = lease(folder, processOwner());
      assert.equal(mine.take("s"), false);
      const old = Date.now() / 1000 - 600;
      fs.utimesSync(file, old, old);
      assert.equal(mine.take("s"), true);
    });
  });

  test("that cannot be given back costs no more than its file", () => {
    withoutRoot((folder) => {
      const store = new Store(folder, processOwner());
      store.load("s");
      const leases = path.join(folder, "leases");
      fs.chmodSync(leases, 0o500);
      store.forget("s");
      store.load("s");
      store.close();
      assert.equal(fs.readdirSync(leases).length, 1);
      fs.chmodSync(leases, 0o700);
    });
  });

  test("is kept by its beats and lost when another took it", () => {
    const folder = scratch();
    const file = path.join(folder, "s.lease");
    const mine = lease(folder, processOwner());
    mine.take("s");
    fs.utimesSync(file, 1, 1);
    mine.beat();
    assert.ok(fs.statSync(file).mtimeMs > 1e6);
    fs.writeFileSync(file, other);
    fs.utimesSync(file, 1, 1);
    mine.beat();
    assert.equal(fs.statSync(file).mtimeMs, 1000, "another's lease is not kept alive");
    mine.releaseAll();
    assert.equal(fs.readFileSync(file, "utf8"), other, "nor taken away");
  });

  test("is taken by everybody where leases cannot be kept", () => {
    const mine = new Lease(path.join(unwritable(), "leases"), processOwner());
    assert.equal(mine.take("s"), true);
  });
});
