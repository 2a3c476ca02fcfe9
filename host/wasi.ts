// The part of wasi_snapshot_preview1 that a Go guest needs to start and run. There
// are no preopened folders, no arguments and no environment: what the guest
// may have of the outside comes through the imports of its own module. node:wasi
// is not used because it fails in Bun.

import { randomFillSync } from "node:crypto";

const success = 0;
const badf = 8;
const inval = 28;
const nosys = 52;

const clockMonotonic = 1;

/** Thrown by proc_exit; a guest that exits is a guest that crashed. */
export class GuestExit extends Error {
  constructor(readonly code: number) {
    super(`the guest exited with code ${code}`);
  }
}

export interface WasiPorts {
  memory(): WebAssembly.Memory;
  /** What the runtime prints before it dies. */
  print(text: string): void;
  /** Throws when this instance has been given up. */
  checkpoint(): void;
}

export function wasi(ports: WasiPorts): Record<string, (...args: never[]) => number> {
  const view = () => new DataView(ports.memory().buffer);
  const decoder = new TextDecoder();
  const sleeper = new Int32Array(new SharedArrayBuffer(4));

  const none = (countOut: number, sizeOut: number) => {
    view().setUint32(countOut, 0, true);
    view().setUint32(sizeOut, 0, true);
    return success;
  };

  return {
    args_sizes_get: none,
    args_get: () => success,
    environ_sizes_get: none,
    environ_get: () => success,

    clock_time_get(clock: number, _precision: bigint, out: number) {
      const ms = clock === clockMonotonic ? performance.now() : Date.now();
      view().setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
      return success;
    },

    random_get(ptr: number, len: number) {
      randomFillSync(new Uint8Array(ports.memory().buffer, ptr, len));
      return success;
    },

    fd_write(fd: number, vectors: number, count: number, out: number) {
      if (fd !== 1 && fd !== 2) return badf;
      const memory = view();
      let written = 0;
      for (let i = 0; i < count; i++) {
        const ptr = memory.getUint32(vectors + 8 * i, true);
        const len = memory.getUint32(vectors + 8 * i + 4, true);
        ports.print(decoder.decode(new Uint8Array(memory.buffer, ptr, len)));
        written += len;
      }
      memory.setUint32(out, written, true);
      return success;
    },

    fd_read: () => badf,
    fd_close: () => badf,
    fd_seek: () => badf,
    fd_fdstat_get: () => badf,
    fd_fdstat_set_flags: () => badf,
    fd_prestat_get: () => badf,
    fd_prestat_dir_name: () => badf,

    // Go sleeps by waiting for clock subscriptions. Nothing of ours sleeps, so
    // each wait is short; the longest is bounded all the same.
    poll_oneoff(subscriptions: number, events: number, count: number, out: number) {
      ports.checkpoint();
      if (count === 0) return inval;
      const memory = view();
      let wait = 100; // ms
      for (let i = 0; i < count; i++) {
        const at = subscriptions + 48 * i;
        if (memory.getUint8(at + 8) !== 0) return nosys; // a file descriptor, not a clock
        const absolute = (memory.getUint16(at + 40, true) & 1) === 1;
        let ns = memory.getBigUint64(at + 24, true);
        if (absolute) {
          const now = BigInt(Math.round(performance.now() * 1e6));
          ns = ns > now ? ns - now : 0n;
        }
        wait = Math.min(wait, Number(ns) / 1e6);
      }
      if (wait > 0) Atomics.wait(sleeper, 0, 0, wait);
      for (let i = 0; i < count; i++) {
        const from = subscriptions + 48 * i;
        const to = events + 32 * i;
        memory.setBigUint64(to, memory.getBigUint64(from, true), true); // userdata
        memory.setUint16(to + 8, 0, true); // no error
        memory.setUint8(to + 10, 0); // a clock
      }
      memory.setUint32(out, count, true);
      return success;
    },

    proc_exit(code: number): number {
      throw new GuestExit(code);
    },
  } as Record<string, (...args: never[]) => number>;
}
