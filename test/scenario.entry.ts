// The worker of the scenario runner: the loader's own server around the real
// guest, with a clock that the script moves, a network that the script
// answers, and a store that can be told to refuse.

import * as path from "node:path";
import * as fs from "node:fs";
import { parentPort } from "node:worker_threads";
import type { ToMain, ToWorker, WorkerSetup } from "../host/messages.ts";
import { stateFolder } from "../host/paths.ts";
import type { HTTP, HTTPSend } from "../host/protocol.gen.ts";
import { type Network, Server } from "../host/serve.ts";
import { Store } from "../host/store.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** What the runner tells this worker. */
export type Control =
  | { t: "open"; setup: WorkerSetup; now: number; denied: string[] }
  | { t: "to"; message: ToWorker }
  | { t: "deny"; denied: string[] }
  | { t: "reply"; of: string | undefined; answer: Omit<HTTP, "type" | "id"> }
  | { t: "advance"; end: number }
  | { t: "fire" }
  | { t: "rest" };

/** What it tells the runner. */
export type Report =
  | { t: "from"; message: ToMain }
  | { t: "request"; body: string }
  | { t: "claim"; granted: boolean }
  | { t: "record"; line: string }
  | { t: "replied"; ok: boolean }
  | { t: "rested"; received: number; now: number; open: number; timers: number; fired: boolean };

const port = parentPort!;
const tell = (report: Report) => port.postMessage(report);
const modules = new Map<string, Promise<WebAssembly.Module>>();

/** Requests wait here for the script. */
class ScriptedNetwork implements Network {
  readonly open: HTTPSend[] = [];
  constructor(readonly done: (event: HTTP) => void) {}
  allow(): void {}
  send(request: HTTPSend): boolean {
    this.open.push(request);
    tell({ t: "request", body: request.body ?? "" });
    return true;
  }
  cancel(id: string): void {
    const at = this.open.findIndex((request) => request.id === id);
    if (at >= 0) this.open.splice(at, 1);
  }
  clear(): void {
    this.open.length = 0;
  }
}

let server: Server | undefined;
let starting = Promise.resolve();
let clock = new VirtualClock(0);
let network: ScriptedNetwork | undefined;
let denied = new Set<string>();
let received = 0;
let fired = false;

function open(setup: WorkerSetup, now: number): void {
  clock = new VirtualClock(now);
  received = 0;
  const store = new Store(path.join(setup.state, stateFolder), setup.owner);
  server = new Server(setup, {
    post: (message) => tell({ t: "from", message }),
    clock,
    store: {
      load: (session, origin) => (denied.has("load") ? { failure: "unreadable", reviewer: true } : store.load(session, origin)),
      save: (session, state) => (denied.has("save") ? "unwritable" : store.save(session, state)),
      forget: (session, keep) => store.forget(session, keep),
      claim: (session, key) => {
        const claimed = denied.has("claim") ? { granted: false } : store.claim(session, key);
        tell({ t: "claim", granted: claimed.granted });
        return claimed;
      },
      tally: (name, line, from) => store.tally(name, line, from),
      heed: (session, line, from) => store.heed(session, line, from),
      record: (line) => store.record(line),
      append: () => {},
      heartbeat: () => {},
      close: () => store.close(),
    },
    network: (done) => (network = new ScriptedNetwork(done)),
    record: (_, line) => tell({ t: "record", line }),
    later: setImmediate,
    beatMs: 2 ** 31,
  });
  let module = modules.get(setup.wasm);
  if (!module) modules.set(setup.wasm, (module = WebAssembly.compile(fs.readFileSync(setup.wasm))));
  const current = server;
  starting = module.then((compiled) => current.start(compiled));
}

/** Answers when the guest has heard everything. */
async function rest(): Promise<void> {
  await starting;
  while (server && !server.idle) await new Promise((resolve) => setImmediate(resolve));
  tell({ t: "rested", received, now: clock.now(), open: network?.open.length ?? 0, timers: clock.pending - 1, fired }); // one is the loader's own
  fired = false;
}

port.on("message", (control: Control) => {
  switch (control.t) {
    case "open":
      denied = new Set(control.denied);
      open(control.setup, control.now);
      break;
    case "to":
      received++;
      server?.receive(control.message);
      break;
    case "deny":
      denied = new Set(control.denied);
      break;
    case "reply": {
      const at = network?.open.findIndex((request) => control.of === undefined || (request.body ?? "").includes(control.of)) ?? -1;
      const [request] = at < 0 ? [] : network!.open.splice(at, 1);
      tell({ t: "replied", ok: request !== undefined });
      if (request) network!.done({ type: "http", id: request.id, ...control.answer });
      break;
    }
    case "advance":
      clock.advance(control.end);
      break;
    case "fire":
      fired = clock.fireDue();
      break;
    case "rest":
      void rest();
      break;
  }
});
