// Kills a host's process around a wake, starts it again, lets the reviewer report another blocker, and
// counts the wakes that were written down. The moments are spread over the time that a wake takes here, so
// that they fall before the claim, between claim and delivery, and behind it; where each fell is told.

import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { stateFolder } from "../host/paths.ts";
import { ModelServer } from "./model-server.ts";

export interface Kills {
  moments: number;
  /** Where the kill fell. */
  before: number;
  between: number;
  behind: number;
  /** Human messages with no wake, with one, and with more. */
  none: number;
  one: number;
  more: string[];
  seconds: number;
}

interface Entry {
  session: string;
  life: "first" | "again";
  wake: boolean;
}

const functions = Array.from({ length: 2 }, (_, i) => `export function f${i}() {\n${"  step()\n".repeat(15)}  return value${i}\n}\n`).join("");

/** Entry is the host's script, in the folder of the built tests. */
export async function kill(wasm: string, entry: URL, moments: number): Promise<Kills> {
  const started = performance.now();
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-kill-")));
  const [state, workspace, log] = ["state", "workspace", "log.jsonl"].map((name) => path.join(folder, name)) as [string, string, string];
  fs.mkdirSync(state);
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, "a.ts"), functions);
  fs.writeFileSync(log, "");
  const model = new ModelServer();
  await model.start();
  const result: Kills = { moments, before: 0, between: 0, behind: 0, none: 0, one: 0, more: [], seconds: 0 };
  const entries = () => fs.readFileSync(log, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line) as Entry);
  const claims = () => fs.readdirSync(path.join(state, stateFolder, "claims")).length;

  const host = (session: string, life: string): ChildProcess =>
    spawn(process.execPath, [entry.pathname, wasm, state, workspace, model.baseURL, log, session, `${session}-m1`, life], { stdio: ["ignore", "pipe", "inherit"] });
  // A review: read, report a blocker, and no more.
  const script = (n: number) => {
    model.answers.length = 0;
    model.requests.length = 0;
    model.answers.push({ toolCalls: [{ name: "read", args: { path: "a.ts" } }] }, { toolCalls: [blocker(n)] });
  };
  const ended = (child: ChildProcess) => new Promise<void>((resolve) => (child.exitCode !== null || child.signalCode !== null ? resolve() : child.once("exit", () => resolve())));
  const delivered = (child: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("exit", () => reject(new Error("the host ended before it delivered")));
    });
  const murder = async (child: ChildProcess) => {
    child.kill("SIGKILL");
    await ended(child);
  };

  // How long a wake takes here, from the review's last answer to the delivery.
  script(0);
  const first = host("warm", "first");
  const done = delivered(first);
  await model.asked(3);
  const before = performance.now();
  await done;
  const takes = performance.now() - before;
  await murder(first);

  for (let i = 0; i < moments; i++) {
    const session = `s${i}`;
    script(0);
    const claimed = claims();
    const one = host(session, "first");
    await model.asked(3);
    await new Promise((resolve) => setTimeout(resolve, (2 * takes * i) / moments));
    await murder(one);
    if (entries().some((e) => e.session === session)) result.behind++;
    else if (claims() > claimed) result.between++;
    else result.before++;

    script(1);
    const two = host(session, "again");
    await delivered(two);
    await murder(two);
    const wakes = entries().filter((e) => e.session === session && e.wake).length;
    if (wakes === 0) result.none++;
    else if (wakes === 1) result.one++;
    else result.more.push(`${session}: ${wakes}`);
  }
  model.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  result.seconds = (performance.now() - started) / 1000;
  return result;
}

function blocker(n: number): { name: string; args: object } {
  const line = 18 * n + 17;
  return {
    name: "advise",
    args: {
      note: [`f0 gives back what nobody has set.`, `The second function loses its input and everything after it.`][n],
      severity: "blocker",
      verdict: "confirmed",
      category: ["bug", "data"][n],
      citations: [{ kind: "quote", path: "a.ts", line, quote: `return value${n}`, fact: "it is undefined" }],
    },
  };
}

export function describeKills(k: Kills): string {
  return `kill: ${k.moments} moments in ${k.seconds.toFixed(0)} s: ${k.before} before the claim, ${k.between} between claim and delivery, ${k.behind} behind the delivery; wakes for a human message: none ${k.none} times, one ${k.one} times, more ${k.more.length} times`;
}
