// Every recorded trace of pi through the adapter. What the guest would hear is in
// NAME.events.jsonl beside the trace, and the session file as a history in
// NAME.history.jsonl; UPDATE=1 npm test -- pi-traces writes them anew.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { beforeEach, describe, test } from "node:test";
import { list, object, string } from "../host/opencode/json.ts";
import { readBranch } from "../host/pi/history.ts";
import { extension } from "../host/pi.ts";
import type { Event } from "../host/protocol.gen.ts";
import { forgetProcess } from "./bench-host.ts";
import { Pi } from "./pi-memory.ts";
import { Recorder, settle } from "./recorder.ts";

declare const PROJECT_ROOT: string;

interface Line {
  k: string;
  v: unknown;
}

const folder = path.join(PROJECT_ROOT, "testdata", "traces", "pi");
const traces = fs
  .readdirSync(folder)
  .filter((name) => /^[a-z0-9-]+\.jsonl$/.test(name))
  .map((name) => ({ name: path.basename(name, ".jsonl"), file: path.join(folder, name) }));

const read = (file: string) =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

function compare(file: string, events: Event[]): void {
  if (process.env["UPDATE"]) fs.writeFileSync(file, events.map((event) => JSON.stringify(event) + "\n").join(""));
  assert.deepEqual(JSON.parse(JSON.stringify(events)), read(file), `differs from ${path.relative(PROJECT_ROOT, file)}`);
}

/** The session file as it was when its last entry was the leaf. */
function branchAt(files: unknown[][], leaf: string): unknown[] {
  for (const entries of files) {
    const at = entries.findIndex((entry) => object(entry)["id"] === leaf);
    if (at >= 0) return entries.slice(0, at + 1);
  }
  return [];
}

async function replay(lines: Line[]): Promise<{ events: Event[]; sent: number }> {
  const files = lines.filter(({ k }) => k === "entries").map(({ v }) => list(v));
  const events: Event[] = [];
  let pi: Pi | undefined;
  let recorder: Recorder | undefined;
  let sent = 0;
  const finish = async () => {
    await pi?.emit("session_shutdown");
    events.push(...(recorder?.events ?? []));
    sent += pi?.sent.length ?? 0;
  };
  for (const { k, v } of lines) {
    const about = object(v);
    if (k === "meta" && about["loaded"] === true) {
      await finish();
      pi = new Pi(`s${events.length}`);
      recorder = new Recorder({ judge: false }); // as pi is by default
      const { deps } = recorder;
      extension(() => deps)(pi.api);
    } else if (k === "event" && pi) {
      const ctx = object(about["ctx"]);
      pi.idle = ctx["idle"] === true;
      pi.hasUI = ctx["hasUI"] === true;
      pi.branch = branchAt(files, string(ctx["leaf"]) ?? "");
      await pi.emit(string(about["name"])!, about);
      await settle();
    }
  }
  await finish();
  return { events, sent };
}

beforeEach(forgetProcess);

describe("pi", () => {
  for (const { name, file } of traces) {
    test(name, async () => {
      const lines = read(file) as Line[];
      const { events, sent } = await replay(lines);
      compare(file.replace(".jsonl", ".events.jsonl"), events);
      assert.equal(sent, 0, "a guest that says nothing puts nothing into the session");
      const told = new Set<string>();
      for (const event of events) {
        if (!("session" in event)) continue;
        if (event.type === "session") told.add(event.session);
        assert.ok(told.has(event.session!), "a session is told before anything of it");
      }
      compare(
        file.replace(".jsonl", ".history.jsonl"),
        lines.filter(({ k }) => k === "entries").flatMap(({ v }) => readBranch("s", list(v), () => false)),
      );
    });
  }

  test("all 23 of them", () => assert.equal(traces.length, 23));
});
