// The module with the smallest loader around it, on this thread: what the disk, the store and the model
// would answer is answered at once. So it is the module alone that is measured.

import { setBounded } from "../host/bounded.ts";
import { Files } from "../host/fs.ts";
import { Guest } from "../host/guest.ts";
import { abiVersion, type Effect, type Event, type HTTPSend } from "../host/protocol.gen.ts";
import { cpu } from "./bench-figures.ts";
import { compile, instanceOf } from "./bench-module.ts";

export class Player {
  /** Bodies of the requests to the model since the last take. */
  private sent: HTTPSend[] = [];
  private readonly states = new Map<string, unknown>();
  private readonly guest: Guest;
  private readonly instance: WebAssembly.Instance;
  private ledger = { name: "", at: 0, rest: "" }; // the day's: where the guest has read to, and what it has not read
  private session = ""; // whose turn it is
  private now = 1_700_000_000_000;
  bytesSent = 0;
  /** The same, with what repeats the beginning of the request before counted at a tenth, as providers bill it. */
  bytesBilled = 0;
  private readonly before = new Map<string, string>(); // the last request of a session
  events = 0;
  /** Milliseconds of the processor in the module, with what the runtime's other threads do meanwhile. */
  ms = 0;

  constructor(wasm: string, root: string) {
    const module = compile(wasm);
    const files = new Files(root);
    const log = ({ level, text }: { level: string; text: string }) => {
      if (level === "error") throw new Error(text);
    };
    let guest: Guest | undefined;
    this.instance = instanceOf(() => (guest = new Guest(module, { files, send: (request) => this.sent.push(request) > 0, cancel: () => {}, log, interrupted: () => false })));
    this.guest = guest!;
    this.say({
      type: "init",
      abi: abiVersion,
      version: "0.0.0",
      host: "harness",
      hostVersion: "",
      seed: "ab".repeat(32),
      directory: root,
      root,
      home: root,
      configHome: root,
      dataHome: root,
      options: { watchdogModel: "fake/m", provider: { baseURL: "http://127.0.0.1:9/v1", apiKey: "sk-bench" }, debounceMs: 0 },
    });
  }

  get memory(): number {
    return (this.instance.exports["memory"] as WebAssembly.Memory).buffer.byteLength;
  }

  /** Tells the guest, and answers all that it asks, the model with silence. */
  say(...events: Event[]): void {
    for (let next = events; next.length > 0; ) {
      this.events += next.length;
      this.now += 100;
      const batch = JSON.stringify({ now: this.now, events: next });
      let answer = "";
      this.ms += cpu(() => (answer = this.guest.call(batch)));
      const outcome = JSON.parse(answer) as { effects?: Effect[] };
      next = (outcome.effects ?? []).flatMap((effect) => this.answer(effect));
      for (const request of this.sent.splice(0)) {
        const body = request.body ?? "";
        const before = this.before.get(this.session) ?? "";
        let same = 0;
        while (same < body.length && body[same] === before[same]) same++;
        this.bytesSent += body.length;
        this.bytesBilled += body.length - same + same / 10;
        setBounded(this.before, this.session, body, 2);
        next.push({ type: "http", id: request.id, status: 200, body: '{"choices":[{"message":{"role":"assistant","content":"silent"},"finish_reason":"stop"}]}' });
      }
    }
  }

  private answer(effect: Effect): Event[] {
    switch (effect.type) {
      case "need":
        return [{ type: "provided", id: effect.id }];
      case "load":
        return [{ type: "loaded", session: effect.session, reviewer: true, ...(this.states.has(effect.session) ? { state: this.states.get(effect.session) } : {}) }];
      case "save":
        this.states.set(effect.session, effect.state);
        return effect.id ? [{ type: "saved", id: effect.id }] : [];
      case "tally": {
        if (effect.name !== this.ledger.name) this.ledger = { name: effect.name, at: 0, rest: "" };
        const { ledger } = this;
        if (effect.line) ledger.rest += `${effect.line}\n`;
        if (!effect.id) return [];
        if ((effect.from ?? 0) !== ledger.at) throw new Error(`the ledger is asked for from ${effect.from}, and was read to ${ledger.at}`);
        const text = ledger.rest;
        ledger.at += text.length;
        ledger.rest = "";
        return [{ type: "tallied", id: effect.id, text, next: ledger.at }];
      }
      case "heed":
        return [{ type: "heard", id: effect.id }];
      case "signals_wanted":
        return [{ type: "signals", session: effect.session, id: effect.id }];
      default:
        return [];
    }
  }

  /** A turn of a session in which the agent reads a file of about 4 KB. */
  turn(session: string, n: number): void {
    this.session = session;
    if (n === 0) this.say({ type: "session", session, complete: true });
    const call = { session, message: `${session}-a${n}` };
    this.say(
      { type: "user", session, id: `${session}-m${n}`, text: `Go on with part ${n}.`, typed: true, created: this.now },
      { type: "turn_start", session },
      { type: "tool", ...call, call: `c${n}`, name: "read", input: { filePath: `src/part${n}.ts` }, output: `${n} ${"const x = 1 // a line of code, of which there are many\n".repeat(75)}` },
      { type: "text", ...call, text: `Part ${n} is looked at.` },
      { type: "step_end", ...call, finish: "stop" },
      { type: "turn_end", session, outcome: "ok" },
    );
  }
}
