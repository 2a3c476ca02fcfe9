// The worker thread, as the main thread sees it.

import * as fs from "node:fs";
import { Worker } from "node:worker_threads";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";
import { compile } from "./module.ts";
import { describe } from "./text.ts";

export interface Thread {
  post(message: ToWorker): void;
  /** Gives it up, without waiting: a thread that spins may never end. */
  abandon(spins: boolean): void;
}

export type Spawn = (setup: WorkerSetup, hear: (message: ToMain) => void, died: (reason: string) => void) => Thread;

/**
 * Threads that run the worker's script. The module is compiled meanwhile, by the runtime's own threads, and serves all
 * of them. One that cannot be had here is the worker's matter: it tries by itself and tells what is wrong.
 */
export function spawnWorker(script: URL): Spawn {
  let compiled: Promise<WebAssembly.Module | undefined> | undefined;
  return (setup, hear, died) => {
    compiled ??= load(setup.wasm);
    const worker = new Worker(script, { workerData: setup, name: "opencode-superadvisor" });
    worker.on("message", hear);
    worker.on("error", (error) => died(describe(error)));
    worker.on("exit", (code) => died(`it exited with code ${code}`));
    worker.unref(); // the host's process ends when it wants to; a listener that is added later would hold it
    const post = (message: ToWorker) => worker.postMessage(message);
    let wanted = true;
    const give = (module?: WebAssembly.Module) => {
      if (wanted) post({ t: "module", ...(module ? { module } : {}) });
    };
    void compiled
      .then(give)
      .catch(() => give()) // it cannot be cloned
      .catch(() => {});
    return {
      post,
      abandon: (spins) => {
        wanted = false;
        worker.removeAllListeners();
        worker.on("error", () => {}); // an unheard error would be the host's
        // Bun cannot end a thread that spins inside wasm, and once asked to waits for it when the process ends.
        if (!(spins && "Bun" in globalThis)) void Promise.resolve(worker.terminate()).catch(() => {});
        worker.unref();
      },
    };
  };
}

async function load(file: string): Promise<WebAssembly.Module | undefined> {
  try {
    return await compile(await new Promise<Buffer<ArrayBuffer>>((resolve, reject) => fs.readFile(file, (error, bytes) => (error ? reject(error) : resolve(bytes)))));
  } catch {
    return undefined;
  }
}
