// Every recorded trace of a host through its adapter. What the guest would hear is in
// NAME.events.jsonl beside the trace, and what a resync at its end would
// bring in NAME.history.jsonl; UPDATE=1 npm test -- traces writes them anew.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { beforeEach, describe, test } from "node:test";
import type { Event } from "../host/protocol.gen.ts";
import { object, string } from "../host/opencode/json.ts";
import { type V1Client, V1Host } from "../host/opencode/v1.ts";
import { readMessages } from "../host/opencode/v1-history.ts";
import { V2Host } from "../host/opencode/v2.ts";
import { readContext } from "../host/opencode/v2-history.ts";
import { forgetProcess } from "./bench-host.ts";
import { Recorder, settle } from "./recorder.ts";
import { type Line, traces } from "./trace-files.ts";

declare const PROJECT_ROOT: string;

function compare(file: string, events: Event[]): void {
  const got = events.map((event) => JSON.stringify(event));
  if (process.env["UPDATE"]) fs.writeFileSync(file, got.map((line) => line + "\n").join(""));
  const want = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  assert.deepEqual(got, want, `differs from ${path.relative(PROJECT_ROOT, file)}`);
}

beforeEach(forgetProcess);

describe("OpenCode V2", () => {
  const replay = async (lines: Line[], shape: (event: unknown) => unknown): Promise<Event[]> => {
    const recorder = new Recorder();
    const host = new V2Host(
      {
        location: { directory: "/project" },
        event: { subscribe: () => nothing() },
        session: { get: async ({ sessionID }) => ({ id: sessionID, location: { directory: "/project" }, title: "a title" }), synthetic: async () => ({}) },
      },
      "/project",
      recorder.deps,
    );
    host.start();
    await settle();
    for (const { k, v } of lines) {
      if (k !== "event") continue;
      host.hear(shape(v));
      await settle(); // the lookup of a session is over before its next event, as it is live
    }
    await host.close();
    return recorder.events;
  };

  for (const { name, file, lines } of traces("opencode-v2")) {
    test(name, async () => {
      const events = await replay(lines, (event) => event);
      compare(file.replace(".jsonl", ".events.jsonl"), events);
      assert.deepEqual(await replay(lines, (event) => JSON.stringify(event)), events, "the same as JSON text");
      assert.deepEqual(await replay(lines, newSpelling), events, "the same in the spelling of 2.0");
      const context = lines.find(({ k }) => k === "context")!.v;
      compare(file.replace(".jsonl", ".history.jsonl"), readContext("s", context, () => false).events);
    });
  }

  /** The names of 2.0, see hosts' documentation: inbox for input, id for callID, metadata for structured. */
  function newSpelling(raw: unknown): unknown {
    const event = structuredClone(raw) as { type: string; data: Record<string, unknown> };
    const { data } = event;
    const rename = (from: string, to: string) => {
      if (from in data) {
        data[to] = data[from];
        delete data[from];
      }
    };
    if (event.type === "session.input.admitted") {
      const input = object(data["input"]);
      event.type = "session.inbox.enqueued";
      data["item"] = { type: input["type"], payload: input["data"], delivery: input["delivery"] };
      delete data["input"];
      rename("inputID", "inboxID");
    } else if (event.type === "session.input.promoted") {
      event.type = "session.inbox.delivered";
      rename("inputID", "inboxID");
    } else if (event.type === "session.compaction.admitted") {
      event.type = "session.inbox.enqueued";
      data["item"] = { type: "compaction", payload: {}, delivery: "queue" };
      rename("inputID", "inboxID");
    } else if (event.type.startsWith("session.tool.")) {
      rename("callID", "id");
      rename("structured", "metadata");
    } else if (event.type === "session.created") {
      const info = object(data["info"]);
      event.data = { sessionID: info["id"], parentID: info["parentID"], location: { directory: info["directory"] }, title: info["title"] };
    }
    return event;
  }
});

describe("OpenCode V1", () => {
  for (const { name, file, lines } of traces("opencode-v1")) {
    test(name, async () => {
      const recorder = new Recorder();
      const client = { session: { get: async ({ path: { id } }: { path: { id: string } }) => ({ data: { id } }) } } as unknown as V1Client;
      const host = new V1Host(client, recorder.deps);
      host.start();
      await settle();
      for (const { k, v } of lines) {
        const { i, o } = v as { i: never; o: never };
        if (k === "event") await host.hooks.event!({ event: v as never });
        else if (k === "chat.message") await host.hooks["chat.message"]!(i, o);
        else if (k === "config") await host.hooks.config!(structuredClone(v) as never);
        await settle();
      }
      await host.close();
      compare(file.replace(".jsonl", ".events.jsonl"), recorder.events);
      const found = lines.find(({ k }) => k === "messages")!.v;
      compare(file.replace(".jsonl", ".history.jsonl"), readMessages("s", Array.isArray(found) ? found : object(found)["out"]));
    });
  }
});

test("every trace has its session told first, and nothing of a session after its end", () => {
  for (const host of ["opencode-v1", "opencode-v2"]) {
    for (const { file } of traces(host)) {
      const told = new Set<string>();
      for (const line of fs.readFileSync(file.replace(".jsonl", ".events.jsonl"), "utf8").split("\n").filter(Boolean)) {
        const event = object(JSON.parse(line));
        const session = string(event["session"]) ?? "";
        assert.equal(Object.keys(event)[0], "type");
        if (event["type"] === "session") told.add(session);
        assert.ok(told.has(session), `${path.basename(file)}: ${line}`);
      }
    }
  }
});

async function* nothing(): AsyncGenerator<never> {}
