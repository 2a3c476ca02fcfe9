// One V2 session, read: host events in, protocol events with facts out. It keeps
// what an event leaves to earlier ones (a tool's name and input) and
// notices holes. It decides nothing.

import { addBounded, setBounded } from "../bounded.ts";
import type { Event, User } from "../protocol.gen.ts";
import { cutEnd, cutMiddle } from "../text.ts";
import { boundInput } from "./input.ts";
import { compact, type Json, list, number, object, string, strings } from "./json.ts";
import type { Envelope } from "./v2-types.ts";

export type SessionEvent = Extract<Event, { session: string }>;

/** Calls under way whose name and input are remembered. */
const maxCalls = 256;
/** Inputs whose admission was seen. */
const maxKnown = 500;

export class V2Session {
  /** Sequence number of the first event that was seen, of any kind. */
  first: number | undefined;
  /** Something was missed since this was last looked at. */
  hole = false;
  /** Inputs that were delivered, and whose text has not been seen. */
  readonly unknown = new Set<string>();

  private last: number | undefined;
  private unnumbered = 0; // see number()
  private running = false;
  private located = false;
  private readonly known = new Set<string>();
  private readonly calls = new Map<string, { name: string; input?: unknown }>();
  private readonly shells = new Map<string, string>();

  constructor(
    readonly id: string,
    /** Whether a message id is one that this plugin made. */
    private readonly ours: (id: string) => boolean,
  ) {}

  /** Whether everything from the session's first event on has been seen. */
  get complete(): boolean {
    return this.first === 0;
  }

  take(envelope: Envelope): SessionEvent[] {
    if (!this.number(envelope)) return [];
    if (envelope.location) this.located = true;
    const read = Object.hasOwn(readers, envelope.type) ? readers[envelope.type] : undefined;
    return read ? read(this, envelope.data, envelope) : [];
  }

  /** Texts that were learned otherwise, from the history. */
  learn(ids: Iterable<string>): void {
    for (const id of ids) {
      this.unknown.delete(id);
      addBounded(this.known, id, maxKnown);
    }
  }

  /**
   * Follows the sequence numbers. False: seen before. The host keeps some durable events to
   * itself (the usage of a title or a compaction); each is followed by a
   * session.usage.updated without a number, which is how they are told from a loss.
   */
  private number(envelope: Envelope): boolean {
    const seq = envelope.durable?.seq;
    if (seq === undefined) {
      if (envelope.type === "session.usage.updated") this.unnumbered++;
      return true;
    }
    this.first ??= seq;
    if (this.last !== undefined) {
      if (seq <= this.last) return false;
      if (seq - this.last - 1 > this.unnumbered) this.hole = true;
    }
    this.last = seq;
    this.unnumbered = 0;
    return true;
  }

  input(id: string, item: Json, envelope: Envelope): SessionEvent[] {
    addBounded(this.known, id, maxKnown);
    const type = string(item["type"]);
    if (type !== "user" && type !== "synthetic") return [];
    const payload = object(item["payload"] ?? item["data"]);
    const facts = userFacts(type, payload, this.ours(id));
    // An input that comes in over the host's interface carries its location; one that a plugin
    // admits does not. A host that never says where cannot be read this way.
    if (type === "user" && this.located && !envelope.location && !facts.advisor) {
      facts.foreign = true;
      delete facts.typed;
    }
    return [userEvent(this.id, id, payload, envelope.created, facts)];
  }

  delivered(id: string): SessionEvent[] {
    if (this.ours(id)) return [{ type: "receipt", session: this.id, id, state: "seen" }];
    if (!this.known.has(id)) {
      addBounded(this.unknown, id, maxKnown);
      this.hole = true;
    }
    return [];
  }

  start(): SessionEvent[] {
    if (this.running) return [];
    this.running = true;
    return [{ type: "turn_start", session: this.id }];
  }

  end(outcome: string, reason?: string, resumes = false): SessionEvent[] {
    this.running = false;
    return [compact({ type: "turn_end", session: this.id, outcome, reason, resumes })];
  }

  call(data: Json): void {
    const id = callID(data);
    if (id === undefined) return;
    const before = this.calls.get(id);
    const name = string(data["name"]) ?? string(data["tool"]) ?? before?.name ?? "";
    const input = data["input"] ?? before?.input;
    setBounded(this.calls, id, { name, input }, maxCalls);
  }

  settle(data: Json, failed: boolean): SessionEvent[] {
    const id = callID(data);
    if (id === undefined) return [];
    this.call(data); // some versions repeat the name
    const { name, input } = this.calls.get(id)!;
    this.calls.delete(id);
    return [toolEvent(this.id, string(data["assistantMessageID"]), id, name, input, data, failed)];
  }

  shellStarted(id: string, command: string): void {
    setBounded(this.shells, id, command, maxCalls);
  }

  shellEnded(data: Json): SessionEvent[] {
    const shell = object(data["shell"]);
    const id = string(shell["id"]) ?? "";
    const command = string(shell["command"]) ?? this.shells.get(id) ?? "";
    this.shells.delete(id);
    return [shellEvent(this.id, command, outputOf(data["output"]), number(shell["exit"]))];
  }
}

type Reader = (session: V2Session, data: Json, envelope: Envelope) => SessionEvent[];

const nothing: Reader = () => [];

/** Every event that is looked at. The types in traces and in 2.x differ for inputs only. */
const readers: Record<string, Reader> = {
  "session.usage.updated": nothing, // has no number and is counted all the same

  "session.input.admitted": (session, data, envelope) => session.input(string(data["inputID"]) ?? "", object(data["input"]), envelope),
  "session.inbox.enqueued": (session, data, envelope) => session.input(string(data["inboxID"]) ?? "", object(data["item"]), envelope),
  "session.compaction.admitted": (session, data) => {
    session.learn([string(data["inputID"]) ?? ""]);
    return [];
  },
  "session.input.promoted": (session, data) => session.delivered(string(data["inputID"]) ?? ""),
  "session.inbox.delivered": (session, data) => session.delivered(string(data["inboxID"]) ?? ""),

  "session.execution.started": (session) => session.start(),
  "session.execution.succeeded": (session) => session.end("ok"),
  "session.execution.failed": (session, data) => session.end("failed", errorText(data["error"])),
  "session.execution.interrupted": (session, data) => {
    const reason = string(data["reason"]);
    return session.end("interrupted", reason, reason === "shutdown" || reason === "superseded");
  },

  "session.step.started": (session) => session.start(), // of a turn whose start was missed
  "session.step.ended": (session, data) => [
    stepEnd(session.id, string(data["assistantMessageID"]), string(data["finish"]), strings(data["files"]), data),
  ],
  "session.text.ended": (session, data) => {
    const { text, cut } = cutEnd(string(data["text"]) ?? "");
    return text === "" ? [] : [compact({ type: "text", session: session.id, message: string(data["assistantMessageID"]), text, cut })];
  },

  "session.tool.input.started": (session, data) => {
    session.call(data);
    return [];
  },
  "session.tool.called": (session, data) => {
    session.call(data);
    return [];
  },
  "session.tool.success": (session, data) => session.settle(data, false),
  "session.tool.failed": (session, data) => session.settle(data, true),

  "session.shell.started": (session, data) => {
    const shell = object(data["shell"]);
    session.shellStarted(string(shell["id"]) ?? "", string(shell["command"]) ?? "");
    return [];
  },
  "session.shell.ended": (session, data) => session.shellEnded(data),

  "session.compaction.started": (session) => [{ type: "compacting", session: session.id }],
  "session.compaction.ended": (session, data) => [compacted(session.id, string(data["text"]) ?? string(data["summary"]))],
  "session.compaction.failed": (session) => [{ type: "compacted", session: session.id, failed: true }],

  "session.revert.committed": (session, data) => [
    compact({ type: "reverted", session: session.id, message: string(data["to"]) ?? string(object(data["revert"])["messageID"]) }),
  ],
  "session.deleted": (session) => [{ type: "closed", session: session.id }],
};

/** Whether an event without a number is looked at. Asked first, for every delta passes here. */
export function concerns(type: string): boolean {
  return Object.hasOwn(readers, type) || type === "session.created" || type === "session.forked" || type === "session.moved";
}

export function userFacts(type: string, payload: Json, ours: boolean): Pick<User, "advisor" | "synthetic" | "foreign" | "typed" | "custom"> {
  const metadata = object(payload["metadata"]);
  const advisor = ours || metadata["advisor"] === true;
  const foreign = !advisor && Object.keys(metadata).length > 0;
  const plain = type === "user";
  return compact({
    advisor,
    synthetic: type === "synthetic",
    foreign,
    custom: !plain && type !== "synthetic",
    typed: plain && !advisor && !foreign,
  });
}

export function userEvent(session: string, id: string, payload: Json, created: number | undefined, facts: Partial<User>): User {
  return compact({ type: "user", session, id, text: cutEnd(string(payload["text"]) ?? "").text, created, ...facts });
}

export function stepEnd(session: string, message: string | undefined, finish: string | undefined, files: string[], usage: Json): SessionEvent {
  const tokens = object(usage["tokens"]);
  return compact({
    type: "step_end",
    session,
    message,
    finish,
    files,
    tokens: compact({
      input: number(tokens["input"]),
      output: number(tokens["output"]),
      reasoning: number(tokens["reasoning"]),
      cacheRead: number(object(tokens["cache"])["read"]),
      cacheWrite: number(object(tokens["cache"])["write"]),
      cost: Math.round((number(usage["cost"]) ?? 0) * 1e6),
    }),
  });
}

export function compacted(session: string, summary: string | undefined): SessionEvent {
  return compact({ type: "compacted", session, summary: summary && cutEnd(summary).text });
}

/**
 * A settled call. State has the result: content parts, and structured (beta) or
 * metadata (2.x); a failure has error.
 */
export function toolEvent(session: string, message: string | undefined, call: string, name: string, input: unknown, state: Json, failed: boolean): SessionEvent {
  const details = { ...object(state["structured"]), ...object(state["metadata"]) };
  const { text, cut } = cutMiddle((failed ? errorText(state["error"]) : undefined) ?? resultText(state, details));
  const exit = number(details["exit"]);
  return compact({
    type: "tool",
    session,
    message,
    call,
    name,
    input: input === undefined ? undefined : boundInput(input),
    output: text,
    cut,
    failed,
    files: changedFiles(details),
    ...(exit === undefined ? {} : { hasExit: true, exit }),
  });
}

export function shellEvent(session: string, command: string, output: string, exit: number | undefined): SessionEvent {
  const { text, cut } = cutMiddle(output);
  return compact({ type: "shell", session, command, output: text, cut, ...(exit === undefined ? {} : { hasExit: true, exit }) });
}

/** Output is text, or {output} or {text} around it. */
export function outputOf(value: unknown): string {
  return string(value) ?? string(object(value)["output"]) ?? string(object(value)["text"]) ?? "";
}

function resultText(state: Json, details: Json): string {
  const parts = list(state["content"])
    .map((part) => string(object(part)["text"]))
    .filter((text) => text !== undefined);
  if (parts.length === 1) return parts[0]!; // joining would copy it
  if (parts.length > 0) return parts.join("\n");
  return string(details["content"]) ?? string(details["output"]) ?? outputOf(state["output"]);
}

/** The edit and write tools say what they changed. */
function changedFiles(details: Json): string[] {
  const files = list(details["files"])
    .map((file) => string(file) ?? string(object(file)["file"]) ?? string(object(file)["path"]))
    .filter((file) => file !== undefined);
  const resource = string(details["resource"]);
  if (files.length === 0 && details["operation"] !== undefined && resource) files.push(resource);
  return files;
}

export function errorText(error: unknown): string | undefined {
  return string(error) ?? string(object(error)["message"]);
}

function callID(data: Json): string | undefined {
  return string(data["callID"]) ?? string(data["id"]);
}
