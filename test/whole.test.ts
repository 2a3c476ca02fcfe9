// The plugin as a host loads it, with the real guest in its worker, an OpenCode V2
// service in memory and a model server on the loopback: what a person would see.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { V2Context } from "../host/opencode/v2-types.ts";
import { forgetProcess } from "./bench-host.ts";
import { type Answer, ModelServer } from "./model-server.ts";
import { scratch } from "./scratch.ts";
import { V2Service } from "./v2-service.ts";

const database = `const users = new Map()

export function findUserById(id) {
  const user = users.get(id)
  if (!user) {
    return null
  }
  return user
}
`;
const profile = `import { findUserById } from "./db"

export function getUserProfile(userId) {
  const user = findUserById(userId)
  return { name: user.name, role: user.role }
}
`;
const wrote = { text: "I wrote getUserProfile.", tools: [{ name: "write", input: { filePath: "src/profile.ts", content: profile }, output: "wrote src/profile.ts", structured: { operation: "write", resource: "src/profile.ts" } }] };
const look: Answer = { toolCalls: [{ name: "read", args: { path: "src/db.ts" } }] };
const advise = (severity: string, line: number): Answer => ({
  toolCalls: [
    {
      name: "advise",
      args: {
        note: "getUserProfile crashes for an unknown id: findUserById gives null and user.name is read without a check.",
        severity,
        verdict: "confirmed",
        category: "bug",
        citations: [{ kind: "quote", path: "src/db.ts", line, quote: "return null", fact: "unknown ids give null" }],
      },
    },
  ],
});

interface Stage {
  service: V2Service;
  model: ModelServer;
  workspace: string;
  state: string;
}

const stages: Stage[] = [];

beforeEach(() => {
  forgetProcess();
  process.env["XDG_STATE_HOME"] = scratch();
  process.env["XDG_CONFIG_HOME"] = scratch();
  process.env["XDG_DATA_HOME"] = scratch();
});

afterEach(async () => {
  for (const { service, model } of stages.splice(0)) {
    await service.close();
    model.stop();
  }
});

async function stage(options: Record<string, unknown> = {}): Promise<Stage> {
  const workspace = scratch();
  fs.mkdirSync(path.join(workspace, "src"));
  fs.writeFileSync(path.join(workspace, "src/db.ts"), database);
  fs.writeFileSync(path.join(workspace, "src/profile.ts"), profile);
  const model = new ModelServer();
  await model.start();
  // The bundle, not its source: what is tested is what is shipped.
  const name = "./plugin.js";
  const plugin = ((await import(name)) as { default: { setup(context: V2Context): (() => Promise<void>) | undefined } }).default;
  const service = new V2Service([(context) => plugin.setup(context)], {
    watchdogModel: "fake/reviewer",
    provider: { baseURL: model.baseURL, apiKey: "sk-test" },
    debounceMs: 0,
    ...options,
  });
  const made = { service, model, workspace, state: path.join(process.env["XDG_STATE_HOME"]!, "opencode-superadvisor") };
  stages.push(made);
  return made;
}

/** Waits for what the service's methods are called with. */
async function called(service: V2Service, n: number): Promise<void> {
  while (service.calls.length < n) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe("a turn with a proven mistake", () => {
  test("wakes the agent once, from the very first session on", async () => {
    const { service, model, workspace, state } = await stage();
    model.answers.push(look, advise("blocker", 6));
    const id = service.create(workspace);
    service.script.push([wrote]);
    await service.type(id, "Write getUserProfile in src/profile.ts.");
    await called(service, 1);
    const { method, input } = service.calls[0]!;
    assert.equal(method, "synthetic");
    assert.equal(input.resume, true);
    assert.match(input.text, /^\[advisor blocker\] src\/db\.ts:6\n/);
    assert.deepEqual({ advisor: input.metadata!["advisor"], severity: input.metadata!["severity"] }, { advisor: true, severity: "blocker" });
    assert.equal(model.requests[0]!.authorization, "Bearer sk-test");
    assert.match(JSON.stringify(model.requests[0]!.body.messages), /Write getUserProfile in src\/profile\.ts/, "the goal, which the plugin was loaded too late to hear");
    await service.idle(id);

    // The same again, on what the agent did after it was woken: nothing more is said.
    model.answers.push(look, advise("blocker", 6));
    const asked = model.requests.length;
    service.script.push([wrote]);
    await service.type(id, "Go on.");
    await model.asked(asked + 2);
    await service.idle(id);
    assert.equal(service.calls.length, 1);
    assert.equal(fs.readdirSync(path.join(state, "claims")).filter((name) => name.includes(".")).length, 1);
    assert.equal(fs.readdirSync(path.join(state, "sessions")).length, 1);
  });

  test("is silent about a suspicion that the code refutes", async () => {
    const { service, model, workspace } = await stage();
    model.answers.push(look, { text: "silent" });
    const id = service.create(workspace);
    service.script.push([wrote]);
    await service.type(id, "Write getUserProfile.");
    await model.asked(2);
    await service.idle(id);
    assert.deepEqual(service.calls, []);
  });
});

describe("a provider that fails", () => {
  const failures: [string, Answer, RegExp][] = [
    ["refuses the key", { status: 401 }, /key/],
    ["drops every connection", "drop", /./],
    ["answers 500", { status: 500 }, /./],
    ["never answers", "hang", /./],
  ];
  for (const [title, answer, notice] of failures) {
    test(`and ${title}: the session goes on as without the plugin`, async () => {
      const { service, model, workspace } = await stage({ timeoutMs: 1000 });
      model.otherwise = answer;
      const id = service.create(workspace);
      for (let i = 0; i < 6; i++) {
        service.script.push([wrote]);
        await service.type(id, `Turn ${i}.`);
        await model.asked(1);
      }
      assert.equal(service.contextOf(id).filter((message) => (message as { type: string }).type === "assistant").length, 6);
      await service.idle(id);
      const said = service.calls.map(({ input }) => input);
      assert.ok(said.length <= 1, "one notice, not ten");
      for (const { metadata, resume, text } of said) {
        assert.equal(metadata!["notice"], true);
        assert.equal(resume, false);
        assert.match(text, notice);
      }
    });
  }
});

describe("unloading", () => {
  test("closes the worker, and a second service starts afresh", async () => {
    const first = await stage();
    const id = first.service.create(first.workspace);
    await first.service.type(id, "hello");
    await first.model.asked(1);
    const before = performance.now();
    await first.service.close();
    assert.ok(performance.now() - before < 2000);
    const second = await stage();
    await second.service.type(second.service.create(second.workspace), "hello");
    await second.model.asked(1);
  });
});
