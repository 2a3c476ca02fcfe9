// One instance of the module: its memory, its exports and its imports. The
// imports of the guest never throw and never call back in; interrupted alone
// throws, when the main thread has given the running call up.

import { Files, type Identity, Refusal } from "./fs.ts";
import {
  abiVersion,
  Errno,
  type HTTPSend,
  importEmit,
  importFSList,
  importFSRead,
  importFSReal,
  importFSStat,
  importHTTPCancel,
  importHTTPSend,
  importInterrupted,
  importModule,
  type Log,
} from "./protocol.gen.ts";
import { describe } from "./text.ts";
import { wasi } from "./wasi.ts";

/** Thrown into the guest when its call has run for too long. */
export class Interrupted extends Error {
  constructor() {
    super("the call ran past its deadline and was given up");
  }
}

export interface GuestPorts {
  files: Files;
  send(request: HTTPSend): boolean;
  cancel(id: string): void;
  log(line: Log): void;
  interrupted(): boolean;
}

interface Exports {
  memory: WebAssembly.Memory;
  abi_version(): number;
  alloc(size: number): number;
  free(ptr: number): void;
  call(ptr: number, len: number): bigint;
  _initialize?(): void;
}

const wasiModule = "wasi_snapshot_preview1";
const maxPrinted = 4096; // of one line

export class Guest {
  private readonly exports: Exports;
  private last: { view: DataView; bytes: Buffer } | undefined;
  private printed = ""; // the runtime prints its last words in pieces
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });

  /** Starts an instance. Throws when the module does not fit this loader. */
  constructor(
    module: WebAssembly.Module,
    private readonly ports: GuestPorts,
  ) {
    const memory = () => this.exports.memory;
    const imports: WebAssembly.Imports = {
      [wasiModule]: wasi({
        memory,
        print: (text) => this.print(text),
        checkpoint: () => this.checkpoint(),
      }),
      [importModule]: this.ownImports(),
    };
    for (const wanted of WebAssembly.Module.imports(module)) {
      if (!Object.hasOwn(imports[wanted.module] ?? {}, wanted.name)) {
        throw new Error(`load superadvisor.wasm: it wants ${wanted.module}.${wanted.name}, which this loader does not give; reinstall opencode-superadvisor`);
      }
    }
    // Typed once, here: the only place where the border with WebAssembly is crossed unchecked.
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.exports._initialize?.();
    const version = this.exports.abi_version();
    if (version !== abiVersion) {
      throw new Error(`load superadvisor.wasm: it speaks version ${version} of the wire, this loader version ${abiVersion}; reinstall opencode-superadvisor`);
    }
  }

  /** Hands one batch over and gives the outcome's text back. Throws when the instance is lost. */
  call(batch: string): string {
    const size = Buffer.byteLength(batch);
    const ptr = this.exports.alloc(size) >>> 0;
    if (ptr === 0) throw new Error(`the guest has no room for a batch of ${size} bytes`);
    this.memory.bytes.write(batch, ptr, size);
    let packed: bigint;
    try {
      packed = BigInt.asUintN(64, this.exports.call(ptr, size));
    } finally {
      this.ports.files.release();
    }
    const at = Number(packed >> 32n);
    const length = Number(packed & 0xffffffffn);
    const text = this.text(at, length);
    this.exports.free(ptr); // the outcome is the guest's own, until the next call
    return text;
  }

  /** Memory as it is now: growing detaches what was made of it before, and leaves it without a byte. */
  private get memory(): { view: DataView; bytes: Buffer } {
    if (!this.last?.bytes.length) {
      const { buffer } = this.exports.memory;
      this.last = { view: new DataView(buffer), bytes: Buffer.from(buffer) };
    }
    return this.last;
  }

  /** Text of the guest. The quick way marks what is no UTF-8; the strict one then throws. */
  private text(ptr: number, len: number): string {
    const quick = this.memory.bytes.toString("utf8", ptr, ptr + len);
    return quick.includes("\ufffd") || ptr + len > this.memory.bytes.length ? this.decoder.decode(this.bytes(ptr, len)) : quick;
  }

  private bytes(ptr: number, len: number): Uint8Array {
    return new Uint8Array(this.memory.bytes.buffer, ptr, len);
  }

  private print(text: string): void {
    const lines = (this.printed + text).split("\n");
    this.printed = lines.pop()!.slice(0, maxPrinted);
    for (const line of lines) {
      if (line.trim()) this.ports.log({ type: "log", level: "error", text: `runtime: ${line}` });
    }
  }

  private checkpoint(): void {
    if (this.ports.interrupted()) throw new Interrupted();
  }

  private ownImports(): Record<string, (...args: never[]) => number | void> {
    const { files } = this.ports;
    const text = (ptr: number, len: number) => this.text(ptr >>> 0, len >>> 0);
    return {
      [importFSStat]: guard((ptr: number, len: number, out: number) => {
        const info = files.stat(text(ptr, len));
        if (info instanceof Refusal) return info.errno;
        const { view } = this.memory;
        const at = out >>> 0;
        view.setBigUint64(at, BigInt(info.kind), true); // the kind and 7 bytes of zero
        view.setBigInt64(at + 8, info.size, true);
        view.setBigInt64(at + 16, info.mtimeNs, true);
        view.setBigUint64(at + 24, info.dev, true);
        view.setBigUint64(at + 32, info.ino, true);
        return Errno.ok;
      }, 1),
      [importFSRead]: guard((ptr: number, len: number, want: number, offset: bigint, buf: number, bufLen: number) => {
        const n = files.read(text(ptr, len), this.identity(want), offset, this.bytes(buf >>> 0, bufLen >>> 0));
        return n instanceof Refusal ? -n.errno : n;
      }, -1),
      [importFSList]: guard((ptr: number, len: number, want: number, buf: number, bufLen: number) => {
        const listing = files.list(text(ptr, len), this.identity(want));
        if (listing instanceof Refusal) return -listing.errno;
        const { bytes } = listing;
        if (bytes.length > bufLen >>> 0) return -Errno.range;
        this.memory.bytes.set(bytes, buf >>> 0); // throws when it leads out of memory
        return bytes.length;
      }, -1),
      [importFSReal]: guard((ptr: number, len: number, buf: number, bufLen: number) => {
        const real = files.real(text(ptr, len));
        if (real instanceof Refusal) return -real.errno;
        const name = this.encoder.encode(real);
        if (name.length > bufLen >>> 0) return -Errno.range;
        this.bytes(buf >>> 0, name.length).set(name);
        return name.length;
      }, -1),
      [importHTTPSend]: guard((ptr: number, len: number) => {
        const request = JSON.parse(text(ptr, len)) as HTTPSend;
        return this.ports.send(request) ? Errno.ok : Errno.refused;
      }, 1),
      [importHTTPCancel]: guard((ptr: number, len: number) => {
        this.ports.cancel(text(ptr, len));
        return 0;
      }, 1),
      [importEmit]: guard((ptr: number, len: number) => {
        this.ports.log(JSON.parse(text(ptr, len)) as Log);
        return 0;
      }, 1),
      [importInterrupted]: () => {
        this.checkpoint();
        return 0;
      },
    };
  }

  private identity(ptr: number): Identity {
    const { view } = this.memory;
    return { dev: view.getBigUint64(ptr >>> 0, true), ino: view.getBigUint64((ptr >>> 0) + 8, true) };
  }
}

/** What throws inside an import is a bad pointer or bad text: the guest is told so, with the import's sign. */
function guard<A extends unknown[]>(body: (...args: A) => number, sign: 1 | -1): (...args: A) => number {
  return (...args) => {
    try {
      return body(...args);
    } catch (error) {
      const bad = error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
      return sign * (bad ? Errno.invalid : Errno.io);
    }
  };
}

/** How a lost instance is described in the log. */
export function lossOf(error: unknown): { reason: string; interrupted: boolean } {
  return { reason: describe(error), interrupted: error instanceof Interrupted };
}
