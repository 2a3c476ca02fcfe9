// What the two threads of the loader say to each other. The main thread owns the
// host's API; the worker owns the guest, the disk and the network.

import type { Effect, Event, Init, Provider, Ready } from "./protocol.gen.ts";

/** The wasi pieces of Init that the worker fills in itself: a seed is fresh for each instance. */
export type InitFacts = Omit<Init, "type" | "abi" | "seed">;

/**
 * What an instance was given before its first Ready. A later instance of the
 * same process gets these names and no others, so that a guest cannot widen
 * its reach by trapping and starting anew.
 */
export interface Grants {
  origins: string[];
  files: string[];
  env: string[];
  providers: string[];
  /** The judge's log, absolute; the guest appends to no other file of the person's. */
  judgeLog?: string;
}

export interface WorkerSetup {
  wasm: string; // path of superadvisor.wasm
  init: InitFacts;
  state: string; // the state folder
  owner: string; // names this process in leases
  flags: SharedArrayBuffer; // Int32Array of flagCount
  grants?: Grants;
  kept?: unknown; // of an earlier instance's last keep
}

/** Slots of WorkerSetup.flags. Calls are counted from 1 in each worker. */
export const flagInterrupt = 0; // the number of the call that is to be given up
export const flagBusy = 1; // the number of the call that runs, 0 between calls
export const flagCount = 2;

export type ToWorker =
  /** Once, and it starts the guest. Without a module the worker compiles it. */
  | { t: "module"; module?: WebAssembly.Module }
  /**
   * Bytes come back in ToMain's "done", so that the main thread can bound what is
   * under way. Life counts the instances: what was meant for an earlier one is dropped.
   */
  | { t: "events"; events: Event[]; bytes: number; life: number }
  | { t: "providers"; id: string; providers: Provider[] }
  | { t: "close" };

/** Effects that only the main thread can perform. */
export type HostEffect = Extract<
  Effect,
  {
    type:
      | "deliver"
      | "notice"
      | "status"
      | "ignore"
      | "resync"
      | "signals_wanted"
      | "facts_wanted"
      | "generate"
      | "generate_cancel"
      | "answer"
      | "decision";
  }
>;

export type ToMain =
  /** A call into the guest begins: its deadline runs from here. */
  | { t: "call"; n: number }
  | { t: "done"; effects: HostEffect[]; bytes: number }
  | { t: "ready"; ready: Ready; grants: Grants }
  | { t: "providers"; id: string; providers: string[] }
  /** For the workers to come. */
  | { t: "kept"; state: unknown }
  /** The instance was discarded and a fresh one has been started. */
  | { t: "restarted"; life: number; reason: string; interrupted: boolean }
  /** There is no guest and there will be none. */
  | { t: "fatal"; reason: string }
  | { t: "notice"; key: string; text: string }
  | { t: "closed" };
