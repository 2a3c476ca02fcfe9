// The one file outside of its state folder that the guest may write: the person's own advisor.json.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { configFolder } from "../host/paths.ts";
import { BenchHost, forgetProcess } from "./bench-host.ts";
import { writeGuest } from "./fake-guest.ts";
import { scratch } from "./scratch.ts";

const hosts: BenchHost[] = [];
let alive: NodeJS.Timeout;
before(() => (alive = setInterval(() => {}, 60_000)));
after(() => clearInterval(alive));
beforeEach(forgetProcess);
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.advisor.close()));
});

/** A guest that writes, and says afterwards that it did. */
async function writing(over: { name?: string; was?: string }, prepare: (folder: string) => void = () => {}): Promise<string> {
  const effects = [
    { type: "write_config", id: "w1", name: "advisor.json", text: "new", ...over },
    { type: "deliver", session: "s1", id: "msg_1", wake: false, text: "written", severity: "nit", description: "written" },
  ];
  const host = new BenchHost(writeGuest(scratch(), { kind: "answer", outcome: JSON.stringify({ effects }) }));
  hosts.push(host);
  const folder = path.join(host.workspace, ".config", "opencode");
  prepare(folder);
  host.advisor.start();
  await host.isReady;
  host.say({ type: "step_end", session: "s1" });
  await host.until(() => host.delivered.length > 0);
  await host.advisor.close(); // it would write again at every word that it hears
  return folder;
}

const existing = (text: string) => (folder: string) => {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "advisor.json"), text);
};

describe("advisor.json", () => {
  test("is made where there is none, for the person's eyes alone", async () => {
    const file = path.join(await writing({}), "advisor.json");
    assert.equal(fs.readFileSync(file, "utf8"), "new");
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ["advisor.json"], "no temporary file is left");
  });

  test("is replaced when it is what the guest takes it for", async () => {
    const folder = await writing({ was: "old" }, existing("old"));
    assert.equal(fs.readFileSync(path.join(folder, "advisor.json"), "utf8"), "new");
  });

  test("is left alone when somebody changed it meanwhile", async () => {
    const folder = await writing({ was: "old" }, existing("edited"));
    assert.equal(fs.readFileSync(path.join(folder, "advisor.json"), "utf8"), "edited");
    const made = await writing({}, existing("made"));
    assert.equal(fs.readFileSync(path.join(made, "advisor.json"), "utf8"), "made");
  });

  test("stays a link where it is one", async () => {
    const target = path.join(scratch(), "dotfile.json");
    fs.writeFileSync(target, "old");
    const folder = await writing({ was: "old" }, (folder) => {
      fs.mkdirSync(folder, { recursive: true });
      fs.symlinkSync(target, path.join(folder, "advisor.json"));
    });
    assert.ok(fs.lstatSync(path.join(folder, "advisor.json")).isSymbolicLink());
    assert.equal(fs.readFileSync(target, "utf8"), "new");
  });

  test("is the only name that is taken", async () => {
    for (const name of ["opencode.json", "../advisor.json", "advisor.json/../x"]) {
      const folder = await writing({ name });
      assert.equal(fs.existsSync(folder) && fs.readdirSync(folder).length > 0, false, name);
    }
  });

  test("lies where each host's people keep their settings", () => {
    const at = (host: string, moved?: string) => configFolder(host, "/h", "/h/.config", moved === undefined ? {} : { PI_CODING_AGENT_DIR: moved });
    assert.equal(at("opencode-v2", "/elsewhere"), "/h/.config/opencode");
    assert.equal(at("pi"), "/h/.pi/agent");
    assert.equal(at("pi", "~/agent"), "/h/agent");
    assert.equal(at("pi", "/elsewhere"), "/elsewhere");
  });
});
