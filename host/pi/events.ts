// One pi session, read: extension events in, protocol events with facts out. It
// keeps what pi tells once and needs later, and knows whether a run or a
// compaction is under way. It decides nothing.

import { addBounded, setBounded } from "../bounded.ts";
import { boundInput } from "../opencode/input.ts";
import { compact, type Json, list, number, object, string } from "../opencode/json.ts";
import type { Event, Tokens, User } from "../protocol.gen.ts";
import { cutEnd, cutMiddle } from "../text.ts";

export type SessionEvent = Extract<Event, { session: string }>;

/** The customType of our messages. */
export const noteType = "advisor-note";

/** Tool calls under way whose arguments are remembered. */
const maxCalls = 256;
/** Inputs whose message is still to come; one that another extension handles never becomes a message. */
const maxInputs = 32;
/** Messages of other extensions: the session file does not tell them from the person's. */
const maxForeign = 1_000;
/** Commands of the person that were told. */
const maxShells = 1_000;

export class PiSession {
  /** Between agent_start and agent_end. */
  running = false;
  compacting = false;
  /** How the last run ended; a new input of a person makes it ok again. */
  ended: "ok" | "failed" | "interrupted" = "ok";

  private readonly inputs: { text: string; extension: boolean }[] = [];
  private forgotten = 0; // inputs of extensions that were too many to remember: as many messages are theirs
  private readonly calls = new Map<string, { name: string; input: unknown }>();
  private readonly shells = new Set<number>();
  private readonly foreign = new Set<string>();
  private files: string[] = []; // changed in this turn

  constructor(readonly id: string) {}

  take(name: string, event: Json): SessionEvent[] {
    switch (name) {
      case "input":
        this.inputs.push({ text: string(event["text"]) ?? "", extension: event["source"] !== "interactive" && event["source"] !== "rpc" });
        if (this.inputs.length > maxInputs && this.inputs.shift()!.extension) this.forgotten++;
        return [];
      case "agent_start":
        return this.start();
      case "agent_end":
        return this.end(list(event["messages"]).map(object));
      case "message_end":
        return this.message(object(event["message"]));
      case "tool_execution_start":
        setBounded(this.calls, string(event["toolCallId"]) ?? "", { name: string(event["toolName"]) ?? "", input: event["args"] }, maxCalls);
        return [];
      case "tool_execution_end":
        return [this.settle(event)];
      case "turn_end":
        return this.step(object(event["message"]));
      case "context":
        return list(event["messages"]).flatMap((message) => this.shell(object(message)));
      case "session_before_compact":
        this.compacting = true;
        return [{ type: "compacting", session: this.id }];
      case "session_compact":
        this.compacting = false;
        return [compactedOf(this.id, object(event["compactionEntry"]))];
      case "session_compact_failed": // since 0.84
        return this.compactionFailed();
    }
    return [];
  }

  /** A compaction that came to nothing: many a version has no event for it. */
  compactionFailed(): SessionEvent[] {
    if (!this.compacting) return [];
    this.compacting = false;
    return [{ type: "compacted", session: this.id, failed: true }];
  }

  private start(): SessionEvent[] {
    const events = this.compactionFailed(); // pi does not run while it compacts
    if (this.running) return events;
    this.running = true;
    return [...events, { type: "turn_start", session: this.id }];
  }

  private end(messages: Json[]): SessionEvent[] {
    this.running = false;
    const last = messages.findLast((message) => message["role"] === "assistant") ?? {};
    const reason = string(last["stopReason"]);
    this.ended = reason === "aborted" ? "interrupted" : reason === "error" ? "failed" : "ok";
    const said = this.ended === "interrupted" ? "user" : this.ended === "failed" ? cutEnd(string(last["errorMessage"]) ?? "", 1024).text : "";
    return [compact({ type: "turn_end", session: this.id, outcome: this.ended, reason: said })];
  }

  private message(message: Json): SessionEvent[] {
    switch (message["role"]) {
      case "user": {
        const user = userOf(this.id, message, this.fromExtension(textOf(message["content"])));
        if (user.typed) this.ended = "ok";
        else addBounded(this.foreign, user.id, maxForeign);
        return [user];
      }
      case "custom":
        return notesOf(message) ? [] : [customOf(this.id, message)]; // ours was told when it was put
      case "assistant":
        return assistantTexts(this.id, message);
    }
    return [];
  }

  /**
   * Whether an extension sent this text as the person's. The message names no sender; the input before
   * it does, whose text may have been expanded since. A message without a known input is a person's
   * (pi tells no input of what is typed while it runs), unless one of an extension is still due.
   */
  private fromExtension(text: string): boolean {
    let at = this.inputs.findIndex((input) => input.text === text);
    if (at < 0) at = this.inputs.findIndex((input) => input.extension);
    if (at < 0 && this.forgotten > 0) {
      this.forgotten--;
      return true;
    }
    if (at < 0) {
      this.inputs.shift(); // expanded from the oldest, most likely
      return false;
    }
    return this.inputs.splice(at, 1)[0]!.extension;
  }

  private settle(event: Json): SessionEvent {
    const call = string(event["toolCallId"]) ?? "";
    const known = this.calls.get(call);
    this.calls.delete(call);
    const tool = toolOf(this.id, call, known?.name ?? string(event["toolName"]) ?? "", known?.input, object(event["result"])["content"], event["isError"] === true);
    this.files.push(...(tool.files ?? []));
    return tool;
  }

  private step(message: Json): SessionEvent[] {
    const { files } = this;
    this.files = [];
    const reason = string(message["stopReason"]);
    if (reason === "error" || reason === "aborted") return []; // the run's end tells it
    return [stepOf(this.id, message, files)];
  }

  /** A command that the person ran: pi puts it before the model with the next request, and tells it nowhere else. */
  private shell(message: Json): SessionEvent[] {
    const at = number(message["timestamp"]);
    if (message["role"] !== "bashExecution" || at === undefined || this.shells.has(at)) return [];
    addBounded(this.shells, at, maxShells);
    return [shellOf(this.id, message)];
  }

  isForeign(id: string): boolean {
    return this.foreign.has(id);
  }

  /** Commands that the history has told. */
  learn(messages: Json[]): void {
    for (const message of messages) {
      const at = number(message["timestamp"]);
      if (message["role"] === "bashExecution" && at !== undefined) addBounded(this.shells, at, maxShells);
    }
  }
}

/** The deliveries in a message of ours; undefined for others. */
export function notesOf(message: Json): string[] | undefined {
  if (message["customType"] !== noteType) return undefined;
  const details = object(message["details"]);
  const ids = list(details["ids"]).filter((id): id is string => typeof id === "string");
  const id = string(details["id"]);
  return ids.length > 0 ? ids : id ? [id] : undefined;
}

export function userOf(session: string, message: Json, foreign: boolean): User {
  const at = number(message["timestamp"]) ?? 0;
  // The id that the session file will give it is not known yet; its time is stored with it.
  return compact({ type: "user", session, id: `user_${at}`, text: cutEnd(textOf(message["content"])).text, created: at, foreign, typed: !foreign });
}

export function customOf(session: string, message: Json): User {
  const at = number(message["timestamp"]) ?? Date.parse(string(message["timestamp"]) ?? "") ?? 0;
  const ours = notesOf(message)?.[0];
  return compact({
    type: "user",
    session,
    id: ours ?? `custom_${at}`,
    text: cutEnd(textOf(message["content"])).text,
    created: at,
    ...(ours ? { advisor: true } : { custom: true, foreign: true }),
  });
}

export function assistantTexts(session: string, message: Json): SessionEvent[] {
  return list(message["content"]).flatMap((item): SessionEvent[] => {
    const part = object(item);
    if (part["type"] !== "text") return [];
    const { text, cut } = cutEnd(string(part["text"]) ?? "");
    return text.trim() === "" ? [] : [compact({ type: "text", session, message: messageID(message), text, cut })];
  });
}

export function toolOf(session: string, call: string, name: string, input: unknown, content: unknown, failed: boolean): Extract<Event, { type: "tool" }> {
  const whole = textOf(content);
  const { text, cut } = cutMiddle(whole);
  const path = string(object(input)["path"]);
  const exit = name === "bash" ? (failed ? /Command exited with code (\d{1,4})\s*$/.exec(whole.slice(-64))?.[1] : "0") : undefined;
  return compact({
    type: "tool",
    session,
    call,
    name,
    input: input === undefined ? undefined : boundInput(input),
    output: text,
    cut,
    failed,
    files: !failed && path && (name === "write" || name === "edit") ? [path] : [],
    ...(exit === undefined ? {} : { hasExit: true, exit: Number(exit) }),
  });
}

export function stepOf(session: string, message: Json, files: string[]): SessionEvent {
  return compact({
    type: "step_end",
    session,
    message: messageID(message),
    finish: string(message["stopReason"]),
    files,
    tokens: usageOf(message),
  });
}

export function usageOf(message: Json): Tokens {
  const usage = object(message["usage"]);
  return compact({
    input: number(usage["input"]),
    output: number(usage["output"]),
    cacheRead: number(usage["cacheRead"]),
    cacheWrite: number(usage["cacheWrite"]),
    cost: Math.round((number(object(usage["cost"])["total"]) ?? 0) * 1e6),
  });
}

export function shellOf(session: string, message: Json): SessionEvent {
  const { text, cut } = cutMiddle(string(message["output"]) ?? "");
  const exit = number(message["exitCode"]);
  return compact({ type: "shell", session, command: string(message["command"]) ?? "", output: text, cut, ...(exit === undefined ? {} : { hasExit: true, exit }) });
}

export function compactedOf(session: string, entry: Json): SessionEvent {
  return compact({ type: "compacted", session, summary: cutEnd(string(entry["summary"]) ?? "").text });
}

function messageID(message: Json): string {
  return `assistant_${number(message["timestamp"]) ?? 0}`;
}

/** Content is a text, or parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => string(object(part)["text"]))
    .filter((text) => text !== undefined)
    .join("\n");
}
