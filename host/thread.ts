// The worker thread, as the main thread sees it.

import { Worker } from "node:worker_threads";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";
import { describe } from "./text.ts";

export interface Thread {
  post(message: ToWorker): void;
  /** Gives it up, without waiting: a thread that spins may never end. */
  abandon(spins: boolean): void;
}

export type Spawn = (setup: WorkerSetup, hear: (message: ToMain) => void, died: (reason: string) => void) => Thread;

/** Threads that run the worker's script. */
export function spawnWorker(script: URL): Spawn {
  return (setup, hear, died) => {
    const worker = new Worker(script, { workerData: setup, name: "opencode-superadvisor" });
    worker.on("message", hear);
    worker.on("error", (error) => died(describe(error)));
    worker.on("exit", (code) => died(`it exited with code ${code}`));
    worker.unref(); // the host's process ends when it wants to; a listener that is added later would hold it
    return {
      post: (message) => worker.postMessage(message),
      abandon: (spins) => {
        worker.removeAllListeners();
        worker.on("error", () => {}); // an unheard error would be the host's
        // Bun cannot end a thread that spins inside wasm, and once asked to waits for it when the process ends.
        if (!(spins && "Bun" in globalThis)) void Promise.resolve(worker.terminate()).catch(() => {});
        worker.unref();
      },
    };
  };
}
