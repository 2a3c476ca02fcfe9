// The module with its export for measuring (wasm/bench.go), behind the loader's own imports.

import * as fs from "node:fs";
import { Files } from "../host/fs.ts";
import { Guest } from "../host/guest.ts";

interface Exports {
  memory: WebAssembly.Memory;
  alloc(size: number): number;
  free(ptr: number): void;
  bench(ptr: number, len: number): bigint;
}

// The types of the loader have no synchronous compiler: it must not be used on a host's thread.
export const compile = (wasm: string) => new (WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module)(fs.readFileSync(wasm));

/** The instance that is made while act runs, whose exports the guest keeps to itself. */
export function instanceOf(act: () => void): WebAssembly.Instance {
  let last: WebAssembly.Instance | undefined;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports: WebAssembly.Imports) {
      super(module, imports);
      last = this;
    }
  };
  try {
    act();
  } finally {
    WebAssembly.Instance = Instance;
  }
  return last!;
}

export interface Answer {
  lines: number;
  bytes: number;
  files: number;
  complete: boolean;
  /** Bytes that the guest allocated for it. */
  allocated: number;
  text: string;
}

export class BenchModule {
  private readonly exports: Exports;
  private readonly files: Files;

  constructor(
    wasm: string,
    private readonly root: string,
  ) {
    this.files = new Files(root);
    const ports = { files: this.files, send: () => false, cancel: () => {}, log: ({ text }: { text: string }) => console.error(text), interrupted: () => false };
    this.exports = instanceOf(() => new Guest(compile(wasm), ports)).exports as unknown as Exports;
  }

  get memory(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Runs read, grep or glob with arguments, or each with a pattern and a bound (0: none). */
  run(op: string, arg: string, bound = 0): Answer {
    const input = Buffer.from([this.root, op, bound, arg].join("\n"));
    const ptr = this.exports.alloc(input.length) >>> 0;
    new Uint8Array(this.exports.memory.buffer, ptr, input.length).set(input);
    const packed = BigInt.asUintN(64, this.exports.bench(ptr, input.length));
    this.files.release(); // as after each call of the loader
    const answer = Buffer.from(this.exports.memory.buffer, Number(packed >> 32n), Number(packed & 0xffffffffn)).toString();
    this.exports.free(ptr);
    const end = answer.indexOf("\n");
    const [lines, bytes, files, complete, allocated] = answer.slice(0, end).split(" ");
    return { lines: Number(lines), bytes: Number(bytes), files: Number(files), complete: complete === "true", allocated: Number(allocated), text: answer.slice(end + 1) };
  }
}
