// The program superadvisor: the module of the plugin in a process of its own. It is given the command line, and
// what a command means, says and does is decided there; see pkg/cli.

import * as path from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { SystemClock } from "./clock.ts";
import { Desk, print } from "./desk.ts";
import { Http } from "./http.ts";
import { beatMs } from "./lease.ts";
import { flagCount, type ToMain } from "./messages.ts";
import { places, stateFolder } from "./paths.ts";
import { Server, type Surroundings } from "./serve.ts";
import { ledgerFrom, processOwner, Store } from "./store.ts";
import { describe, visible } from "./text.ts";

declare const PACKAGE_VERSION: string;

/** A fault of the program itself; the guest has the same number. */
const internal = 70;

function main(args: string[]): void {
  const { home, configHome, dataHome, stateHome } = places();
  const directory = process.cwd();
  const state = path.join(stateHome, stateFolder);
  const wasm = fileURLToPath(new URL("./superadvisor.wasm", import.meta.url));
  const alive = setInterval(() => {}, 2 ** 30); // the guest's own timers hold no process
  const end = (code: number) => {
    process.exitCode = code;
    clearInterval(alive);
    setImmediate(() => server.receive({ t: "close" }));
  };
  const packaged = path.dirname(path.dirname(wasm));
  const desk: Desk = new Desk(wasm, () => end(desk.code ?? internal));
  const setup = {
    wasm,
    state: stateHome,
    owner: processOwner(),
    flags: new SharedArrayBuffer(4 * flagCount),
    // A command reads what its person can read: the root is the disk's.
    init: { version: PACKAGE_VERSION, host: "cli", hostVersion: "", directory, root: path.parse(directory).root, home, configHome, dataHome },
  };
  const server: Server = new Server(setup, {
    desk,
    store: lazyStore(state),
    clock: new SystemClock(),
    network: (done) => new Http(done),
    later: setImmediate,
    beatMs,
    post: (message: ToMain) => {
      switch (message.t) {
        case "providers": // there is no host to ask
          setImmediate(() => server.receive({ t: "providers", id: message.id, providers: [] }));
          return;
        case "restarted":
        case "fatal":
          if (desk.code !== undefined) return;
          print(2, `superadvisor: ${visible(message.reason)}\n`);
          desk.perform({ type: "exit", code: internal }, () => {});
          return;
      }
    },
  });
  server.receive({ t: "events", life: 0, bytes: 0, events: [{ type: "cli", args, state, package: packaged, terminal: isatty(1), watched: isatty(2) }] });
  void server.start();
}

/** Looking changes nothing on the disk: the store, which makes its folders, is opened for the first change. */
function lazyStore(state: string): Surroundings["store"] {
  let opened: Store | undefined;
  const store = () => (opened ??= new Store(state, processOwner()));
  return {
    load: (...args) => store().load(...args),
    save: (session, text) => store().save(session, text),
    forget: (session, keep) => store().forget(session, keep),
    claim: (session, key) => store().claim(session, key),
    record: () => {},
    tally: (name, line, from) => (line ? store().tally(name, line, from) : ledgerFrom(state, name, from ?? 0)),
    heed: (session, line, from) => store().heed(session, line, from),
    // The advisor's log is the plugin's. What is odd here is for the one who asks for it.
    append: (_, line) => {
      if (process.env["OPENCODE_SUPERADVISOR_DEBUG"]) print(2, `${visible(line)}\n`);
    },
    heartbeat: () => opened?.heartbeat(),
    close: () => opened?.close(),
  };
}

try {
  main(process.argv.slice(2));
} catch (error) {
  print(2, `superadvisor: ${visible(describe(error))}\n`);
  process.exitCode = internal;
}
