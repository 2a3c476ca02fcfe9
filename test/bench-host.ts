// A host for tests of the advisor: it records what it is asked to do.

import * as path from "node:path";
import { Advisor, type Deadlines, type Deps } from "../host/advisor.ts";
import type { Host } from "../host/errands.ts";
import { type Spawn, spawnWorker } from "../host/thread.ts";
import type { Deliver, Event, History, Notice, Provider, Ready, Session } from "../host/protocol.gen.ts";
import { shared } from "../host/registry.ts";
import { scratch } from "./scratch.ts";

export const workerScript = new URL("worker.cjs", import.meta.url);

export class BenchHost implements Host {
  readonly delivered: Deliver[] = [];
  readonly notices: Notice[] = [];
  readonly asked: string[] = [];
  readonly advisor: Advisor;
  readonly workspace: string;
  readonly state: string;
  script = workerScript;
  /** Deadlines that hold once a guest is ready: also one that is to be given up soon has all the time that it needs to start. */
  strict: Partial<Deadlines> = {};
  spawned = 0;
  readies = 0;
  private readonly waiting: { done: () => boolean; resolve: () => void }[] = [];

  constructor(wasm: string, deadlines: Partial<Deadlines> = {}, state = scratch(), workspace = scratch()) {
    this.workspace = workspace;
    this.state = state;
    let spawn: Spawn | undefined; // when the script is known
    const deps: Deps = {
      init: {
        version: "0.0.0",
        host: "harness",
        hostVersion: "",
        directory: this.workspace,
        root: this.workspace,
        home: this.workspace,
        configHome: path.join(this.workspace, ".config"),
        dataHome: path.join(this.workspace, ".local", "share"),
      },
      state: this.state,
      owner: "test 1 1",
      wasm,
      spawn: (setup, hear, died) => {
        this.spawned++;
        Object.assign(this.advisor["limits"], usual);
        const both = (message: Parameters<typeof hear>[0]) => {
          hear(message);
          this.changed();
        };
        spawn ??= spawnWorker(this.script);
        return spawn(setup, both, (reason) => {
          died(reason);
          this.changed();
        });
      },
      deadlines,
    };
    this.advisor = new Advisor(this, deps);
    const usual = { ...this.advisor["limits"] };
  }

  session(id = "s1"): Session {
    return { type: "session", session: id, complete: true };
  }

  /** Sends events of one session, with what comes before them. */
  say(...events: (Event & { session: string })[]): void {
    for (const event of events) {
      if (!this.advisor.knows(event.session)) this.advisor.announce(this.session(event.session));
      this.advisor.send(event);
    }
  }

  /** Resolves when done holds; looked at after whatever the worker says and the host is asked. */
  until(done: () => boolean): Promise<void> {
    // The worker keeps no process alive; a test that waits for it does.
    const alive = setInterval(() => {}, 60_000);
    return new Promise<void>((resolve) => {
      this.waiting.push({ done, resolve });
      this.changed();
    }).finally(() => clearInterval(alive));
  }

  get isReady(): Promise<void> {
    return this.until(() => this.advisor.ready !== undefined);
  }

  changed(): void {
    for (const entry of [...this.waiting]) {
      if (!entry.done()) continue;
      this.waiting.splice(this.waiting.indexOf(entry), 1);
      entry.resolve();
    }
  }

  deliver(effect: Deliver): Promise<{ state: string }> {
    this.delivered.push(effect);
    this.changed();
    return Promise.resolve({ state: "admitted" });
  }

  notice(notice: Notice): void {
    this.notices.push(notice);
    this.changed();
  }

  ready(_: Ready): void {
    this.readies++;
    Object.assign(this.advisor["limits"], this.strict);
    this.changed();
  }

  providers(ids: string[]): Promise<Provider[]> {
    this.asked.push(...ids);
    return Promise.resolve(ids.map((id) => ({ id, known: true, baseURL: `http://${id}.test` })));
  }

  history(session: string): Promise<History> {
    this.asked.push(`history ${session}`);
    return Promise.resolve({ type: "history", session, events: [] });
  }

  signals(): Promise<object> {
    return Promise.resolve({});
  }
}

/** What the process remembers, back to the beginning. */
export function forgetProcess(): void {
  const state = shared();
  state.hung = 0;
  state.shown.clear();
  state.places.clear();
}
