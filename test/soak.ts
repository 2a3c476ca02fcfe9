// Many sessions through the real loader and the real guest, with a model server in this
// process: what grows without end would show. Sessions speak in waves, as many at a time as a busy
// host has; each turn carries a mark, and a turn whose mark no review saw is lost.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { Worker } from "node:worker_threads";
import { Advisor } from "../host/advisor.ts";
import { processOwner } from "../host/store.ts";
import type { Event } from "../host/protocol.gen.ts";
import { ModelServer } from "./model-server.ts";

export interface Figures {
  events: number;
  turns: number;
  lost: number;
  reviews: number;
  delivered: number;
  notices: string[];
  rejections: string[];
  /** Of the guest's memory, of the process, and what lies in the state folder, logs aside: after the warm-up and at the end. */
  warm: Sizes;
  end: Sizes;
  seconds: number;
}

export interface Sizes {
  guest: number;
  rss: number;
  files: string[];
}

/** Sessions that speak at the same time: more than the guest reviews at once. */
const wave = 40;
const perTurn = 6;
const output = "const x = 1 // a line of code, of which there are many\n".repeat(40); // about 2 KB

/** Runs about so many events, turn by turn, over so many sessions. */
export async function soak(wasm: string, worker: URL, events: number, sessions: number): Promise<Figures> {
  const started = performance.now();
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-soak-")));
  const state = path.join(folder, "state");
  const workspace = path.join(folder, "workspace");
  fs.mkdirSync(workspace);
  fs.mkdirSync(state);
  fs.writeFileSync(path.join(workspace, "a.txt"), "hello\n");
  const rejections: string[] = [];
  const rejected = (reason: unknown) => void rejections.push(String(reason));
  process.on("unhandledRejection", rejected);
  const model = new ModelServer();
  await model.start();
  const bytes = new SharedArrayBuffer(8);
  const alive = setInterval(() => {}, 60_000);
  let delivered = 0;
  const notices: string[] = [];
  let heard: () => void = () => {};
  const advisor = new Advisor(
    {
      deliver: async (effect) => {
        delivered++;
        advisor.send({ type: "receipt", session: effect.session, id: effect.id, state: "seen" });
        return { state: "admitted" };
      },
      notice: ({ text }) => void notices.push(text),
      providers: async () => [],
      history: async (session) => ({ type: "history", session, events: [] }),
      signals: async () => ({}),
      ready: () => heard(),
    },
    {
      init: {
        version: "0.0.0",
        host: "harness",
        hostVersion: "",
        directory: workspace,
        root: workspace,
        home: folder,
        configHome: path.join(folder, ".config"),
        dataHome: path.join(folder, ".local"),
        options: { watchdogModel: "fake/m", provider: { baseURL: model.baseURL, apiKey: "sk-test" }, debounceMs: 0 },
      },
      state,
      owner: processOwner(),
      wasm,
      spawn: (setup, hear, died) => {
        const thread = new Worker(worker, { workerData: { ...setup, bytes } });
        thread.on("message", hear);
        thread.on("error", (error) => died(String(error)));
        thread.on("exit", (code) => died(`exit ${code}`));
        thread.postMessage({ t: "module" }); // which it compiles by itself
        return { post: (message) => thread.postMessage(message), abandon: () => void thread.terminate() };
      },
    },
  );

  const wanted = new Set<string>();
  let emptied: () => void = () => {};
  let reviews = 0;
  model.otherwise = { text: "silent" };
  const seen = model.requests;
  const look = () => {
    for (const request of seen.splice(0)) {
      if (!request.body.messages.some(({ role }) => role === "assistant")) reviews++;
      const text = JSON.stringify(request.body.messages);
      for (const [mark] of text.matchAll(/mark-\d+-\d+-end/g)) wanted.delete(mark);
    }
    if (wanted.size === 0) emptied();
  };
  const watching = setInterval(look, 5);

  const measure = (): Sizes => {
    const files = (fs.readdirSync(state, { recursive: true, withFileTypes: true }) as fs.Dirent[])
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(state, path.join(entry.parentPath ?? entry.path, entry.name)))
      // A log comes with its first line and is moved aside once it is full: bounded by its name, not by the sessions.
      .filter((name) => !name.endsWith(".tmp") && !name.split(path.sep).includes("logs"));
    return { guest: Number(Atomics.load(new BigInt64Array(bytes), 0)), rss: process.memoryUsage.rss(), files };
  };

  let sent = 0;
  let turns = 0;
  let lost = 0;
  const turn = (n: number, round: number): void => {
    const session = `s${n}`;
    const mark = `mark-${n}-${round}-end`;
    const speak = (...all: (Event & { session: string })[]) => {
      for (const event of all) advisor.send(event);
      sent += all.length;
    };
    wanted.add(mark);
    turns++;
    if (!advisor.knows(session)) advisor.announce({ type: "session", session, complete: true });
    // One review in 25 says something, another in 25 something that only looks different.
    if (turns % 25 === 0) model.answers.push({ toolCalls: [{ name: "advise", args: { note: `Number ${round}: a.txt greets nobody.`, severity: "nit", verdict: "confirmed" } }] });
    speak(
      { type: "user", session, id: `${session}-m${round}`, text: `Go on with ${round}.`, typed: true, created: Date.now() },
      { type: "turn_start", session },
      { type: "tool", session, call: `c${round}`, name: "read", input: { filePath: "a.txt" }, output: `${round} ${output}` },
      { type: "text", session, text: `Looked at it: ${mark}` },
      { type: "step_end", session, finish: "stop" },
      { type: "turn_end", session, outcome: "ok" },
    );
  };

  await new Promise<void>((resolve, reject) => {
    heard = resolve;
    setTimeout(() => reject(new Error(`the guest was not ready within 30 s; notices: ${notices.join("; ") || "none"}`)), 30_000).unref();
    advisor.start();
  });
  const rounds = Math.max(2, Math.ceil(events / perTurn / sessions));
  const warmUp = Math.max(1, Math.floor(rounds / 5));
  let warm = measure();
  for (let round = 0; round < rounds; round++) {
    for (let first = 0; first < sessions; first += wave) {
      const speaking = Array.from({ length: Math.min(wave, sessions - first) }, (_, i) => first + i);
      const done = new Promise<void>((resolve) => (emptied = resolve));
      for (const n of speaking) turn(n, round);
      // A wave is a second's work; one that takes a minute has lost something.
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([done, new Promise<void>((resolve) => (timer = setTimeout(resolve, 60_000)))]);
      clearTimeout(timer);
      lost += wanted.size;
      wanted.clear();
    }
    if (round === warmUp - 1) warm = await settled(measure, sessions);
  }
  const end = await settled(measure, sessions);
  clearInterval(watching);
  await advisor.close();
  model.stop();
  clearInterval(alive);
  process.off("unhandledRejection", rejected);
  fs.rmSync(folder, { recursive: true, force: true });
  return { events: sent, turns, lost, reviews, delivered, notices, rejections, warm, end, seconds: (performance.now() - started) / 1000 };
}

/** Figures that two looks agree on, with every session stored: the last answers and saves are in. */
async function settled(measure: () => Sizes, sessions: number): Promise<Sizes> {
  const patience = performance.now() + 30_000; // sessions that are never stored show in the figures
  for (let last = measure(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = measure();
    const stored = now.files.filter((name) => name.split(path.sep).includes("sessions")).length;
    const still = now.guest === last.guest && now.files.length === last.files.length;
    if ((still && stored >= Math.min(sessions, storedAtMost)) || performance.now() > patience) return now;
    last = now;
  }
}

/** What the store keeps of sessions. */
const storedAtMost = 200;

/** Go takes memory in steps of this size, so that a short run may end one step above its warm-up. */
const heapStep = 4 * 1024 * 1024;

/** What is wrong with the figures; empty when nothing is. */
export function complaints(f: Figures): string[] {
  const all: string[] = [];
  if (f.lost > 0) all.push(`${f.lost} turns of ${f.turns} were never reviewed`);
  if (f.notices.length > 0) all.push(`notices: ${f.notices.join("; ")}`);
  if (f.rejections.length > 0) all.push(`unhandled rejections: ${f.rejections.join("; ")}`);
  if (f.delivered === 0) all.push("nothing was delivered");
  // The collector's heap breathes; what leaks with every turn does not stop at a quarter.
  if (f.end.guest > f.warm.guest * 1.25 + heapStep) all.push(`the guest's memory grew from ${f.warm.guest} to ${f.end.guest} bytes`);
  const beyond = (one: Sizes, other: Sizes) => one.files.filter((name) => !other.files.includes(name)).join(", ") || "none";
  if (f.end.files.length !== f.warm.files.length) {
    all.push(`files grew from ${f.warm.files.length} to ${f.end.files.length}: new are ${beyond(f.end, f.warm)}; gone are ${beyond(f.warm, f.end)}`);
  }
  return all;
}

export function describeFigures(f: Figures): string {
  const mb = (n: number) => `${(n / 1024 / 1024).toFixed(1)} MB`;
  const sizes = (s: Sizes) => `guest ${mb(s.guest)}, process ${mb(s.rss)}, ${s.files.length} files`;
  return `soak: ${f.events} events in ${f.seconds.toFixed(0)} s, ${f.turns} turns, ${f.reviews} reviews, ${f.delivered} notes, ${f.lost} turns lost; after the warm-up: ${sizes(f.warm)}; at the end: ${sizes(f.end)}`;
}
