// The worker thread's entry.

import * as path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { SystemClock } from "./clock.ts";
import { Http } from "./http.ts";
import { beatMs } from "./lease.ts";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";
import { stateFolder } from "./paths.ts";
import { Server } from "./serve.ts";
import { Store } from "./store.ts";

if (parentPort) {
  const port = parentPort;
  const post = (message: ToMain) => port.postMessage(message);
  const setup = workerData as WorkerSetup;
  const folder = path.join(setup.state, stateFolder);
  const unwritable = (reason: string) =>
    post({
      t: "notice",
      key: "state",
      text: `The advisor cannot write its folder ${folder} (${reason}). It goes on without memory of restarts and will not wake the agent. Make the folder writable, or point XDG_STATE_HOME to one that is.`,
    });
  const store = new Store(folder, setup.owner, unwritable, setup.grants !== undefined);
  const server = new Server(setup, {
    post: (message) => {
      post(message);
      if (message.t === "closed") port.close(); // nothing is left to keep the thread
    },
    clock: new SystemClock(),
    store,
    network: (done) => new Http(done),
    later: setImmediate,
    beatMs,
  });
  port.on("message", (message: ToWorker) => server.receive(message));
}
