// Keeps an eye on the guest's memory: the size of each instance's, as it is now, goes to
// the main thread through shared memory. Imported before the worker's own entry.

import { workerData } from "node:worker_threads";

const { bytes } = workerData as { bytes: SharedArrayBuffer };
const figure = new BigInt64Array(bytes);
let memory: WebAssembly.Memory | undefined;
const { Instance } = WebAssembly;

WebAssembly.Instance = class extends Instance {
  constructor(module: WebAssembly.Module, imports: WebAssembly.Imports) {
    super(module, imports);
    memory = this.exports["memory"] as unknown as WebAssembly.Memory;
  }
};
setInterval(() => {
  if (memory) Atomics.store(figure, 0, BigInt(memory.buffer.byteLength));
}, 50).unref();
