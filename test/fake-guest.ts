// Small modules that misbehave in one way each, for what a real guest must never
// do. They are assembled here, byte by byte; the real guest needs no help to behave.

import * as fs from "node:fs";
import * as path from "node:path";

/** What a call does. The first call of every instance answers with ready, unless it is "deaf". */
export type Manner =
  /** Answers every call with the outcome given. */
  | { kind: "answer"; outcome: string }
  /** Never comes back and never asks whether it should. */
  | { kind: "spin" }
  /** Never comes back but asks whether it should, as the guest's long loops do. */
  | { kind: "ask" }
  /** Is busy for so many milliseconds, asking all the while. */
  | { kind: "busy"; ms: number }
  | { kind: "trap" }
  /** Speaks another version of the wire. */
  | { kind: "version" }
  /** Imports what no loader gives. */
  | { kind: "greedy" };

export const readyEffect = {
  type: "ready",
  version: "0.0.0",
  origins: ["http://127.0.0.1:9"],
  enabled: true,
  consult: true,
  judge: true,
  judgeTimeoutMs: 1000,
  consultTimeoutMs: 1000,
};

const emptyOutcome = JSON.stringify({ effects: [] });

export function fakeGuest(manner: Manner, first: object = readyEffect): Uint8Array {
  const opening = JSON.stringify({ effects: [first] });
  const answer = manner.kind === "answer" ? manner.outcome : emptyOutcome;
  const openingAt = 1024;
  const answerAt = openingAt + align(bytes(opening).length);
  const heapAt = align(answerAt + bytes(answer).length);

  const i32 = 0x7f;
  const i64 = 0x7e;
  const types = [
    [[], [i32]], // 0: () -> i32
    [[i32], [i32]], // 1
    [[i32], []], // 2
    [[i32, i32], [i64]], // 3
    [[i32, i64, i32], [i32]], // 4
  ] as const;
  const imports: [string, string, number][] = [
    ["superadvisor", "interrupted", 0],
    ["wasi_snapshot_preview1", "clock_time_get", 4],
  ];
  if (manner.kind === "greedy") imports.push(["superadvisor", "exec", 0]);
  const first_ = imports.length;

  const packed = (at: number, text: string) => [0x42, ...signed((BigInt(at) << 32n) | BigInt(bytes(text).length))]; // i64.const
  const loop = (...body: number[]) => [0x03, 0x40, ...body, 0x0b];
  const interrupted = [0x10, 0x00, 0x1a]; // call 0; drop
  const bodies: Record<Manner["kind"], number[]> = {
    answer: packed(answerAt, answer),
    spin: [...loop(0x0c, 0x00), 0x00],
    ask: [...loop(...interrupted, 0x0c, 0x00), 0x00],
    // Until the monotonic clock, read into address 8, has gone on by ms.
    busy: [
      ...clock(8),
      ...loop(
        ...interrupted,
        ...clock(16),
        ...[0x41, 16, 0x29, 0x03, 0x00], // i64.load 16
        ...[0x41, 8, 0x29, 0x03, 0x00], // i64.load 8
        0x7d, // i64.sub
        ...[0x42, ...signed(BigInt(manner.kind === "busy" ? manner.ms : 0) * 1_000_000n)],
        0x53, // i64.lt_s
        0x0d, 0x00, // br_if 0
      ),
      ...packed(answerAt, answer),
    ],
    trap: [0x00],
    version: packed(answerAt, answer),
    greedy: packed(answerAt, answer),
  };
  function clock(at: number): number[] {
    return [0x41, 1, 0x42, 0, 0x41, at, 0x10, 0x01, 0x1a];
  }

  const code = [
    func([0x41, ...signed(manner.kind === "version" ? 99n : 1n)]), // abi_version
    func([0x41, ...signed(BigInt(heapAt))]), // alloc: the same place each time
    func([]), // free
    // call: the first time with the opening, then as the manner has it.
    func([
      ...[0x23, 0x00, 0x04, i64], // global.get 0; if (result i64)
      ...bodies[manner.kind],
      0x05, // else
      ...[0x41, 1, 0x24, 0x00], // global.set 0
      ...packed(openingAt, opening),
      0x0b,
    ]),
  ];
  const section = (id: number, items: number[][]) => {
    const body = [...unsigned(items.length), ...items.flat()];
    return [id, ...unsigned(body.length), ...body];
  };
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types.map(([from, to]) => [0x60, from.length, ...from, to.length, ...to])),
    ...section(2, imports.map(([module, name, type]) => [...string(module), ...string(name), 0x00, type])),
    ...section(3, [[0], [1], [2], [3]]),
    ...section(5, [[0x00, 64]]), // 4 MB
    ...section(6, [[i32, 0x01, 0x41, 0, 0x0b]]),
    ...section(7, [
      [...string("memory"), 0x02, 0],
      ...["abi_version", "alloc", "free", "call"].map((name, i) => [...string(name), 0x00, first_ + i]),
    ]),
    ...section(10, code),
    ...section(11, [data(openingAt, opening), data(answerAt, answer)]),
  ]);
}

/** Writes a fake guest into a folder and gives its path. */
export function writeGuest(folder: string, manner: Manner, first?: object): string {
  const file = path.join(folder, `${manner.kind}.wasm`);
  fs.writeFileSync(file, fakeGuest(manner, first));
  return file;
}

function func(body: number[]): number[] {
  const whole = [0x00, ...body, 0x0b]; // no locals
  return [...unsigned(whole.length), ...whole];
}

function data(at: number, text: string): number[] {
  const content = bytes(text);
  return [0x00, 0x41, ...signed(BigInt(at)), 0x0b, ...unsigned(content.length), ...content];
}

function string(text: string): number[] {
  const content = bytes(text);
  return [...unsigned(content.length), ...content];
}

function bytes(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function align(n: number): number {
  return (n + 15) & ~15;
}

function unsigned(n: number): number[] {
  const out: number[] = [];
  do {
    const low = n & 0x7f;
    n >>>= 7;
    out.push(n === 0 ? low : low | 0x80);
  } while (n !== 0);
  return out;
}

function signed(n: bigint): number[] {
  const out: number[] = [];
  for (;;) {
    const low = Number(n & 0x7fn);
    n >>= 7n;
    const last = (n === 0n && (low & 0x40) === 0) || (n === -1n && (low & 0x40) !== 0);
    out.push(last ? low : low | 0x80);
    if (last) return out;
  }
}
