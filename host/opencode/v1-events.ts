// One V1 session, read: events and the chat.message hook in, protocol events with
// facts out. V1 repeats itself (a part is updated many times, idle is said twice),
// so that much here is about saying a thing once. It decides nothing.

import { addBounded, setBounded } from "../bounded.ts";
import type { Diagnostic, Event, User } from "../protocol.gen.ts";
import { cutEnd, cutMiddle } from "../text.ts";
import { boundInput } from "./input.ts";
import { compact, type Json, list, number, object, string, strings } from "./json.ts";
import { isCopied } from "./v1-fork.ts";

export type SessionEvent = Extract<Event, { session: string }>;

/** Messages and parts that are remembered as said. */
const maxSaid = 2_000;
/** The text with which V1 introduces a command that the person ran. */
const shellMark = "The following tool was executed by the user";

interface Step {
  finish: string | undefined;
  usage: Json;
  files: string[];
}

export class V1Session {
  /** With which agent and model the person last spoke: what we say is said to the same. */
  agent: string | undefined;
  model: { providerID: string; modelID: string } | undefined;
  busy = false;
  /** The person has gone back, and has not yet gone on from there. */
  reverted: string | undefined;

  /** When it was made: what is older was copied into it, and is history. */
  born: number | undefined;

  /** Something was said in it: what comes now is no copy, though a clock that was set back makes it older than the session. */
  private live = false;
  private outcome: { outcome: string; reason?: string } | undefined;
  private readonly roles = new Map<string, { role: string; parent?: string; summary: boolean; copied: boolean }>();
  private readonly shells = new Set<string>(); // user messages that stand for a command of the person
  private readonly commands = new Set<string>(); // user messages that carry what a command of ours answered
  private readonly steps = new Map<string, Step>(); // by message, until its patch has come
  private readonly said = new Set<string>();
  private summary = "";
  private compacting = false;

  constructor(readonly id: string) {}

  /** The chat.message hook: a message that is being sent, before it is stored. */
  message(info: Json, parts: readonly unknown[]): SessionEvent[] {
    this.agent = string(info["agent"]) ?? this.agent;
    const model = object(info["model"]);
    const providerID = string(model["providerID"]);
    const modelID = string(model["modelID"]);
    if (providerID && modelID) this.model = { providerID, modelID };
    this.reverted = undefined;
    this.live = true;
    const event = userOf(this.id, info, parts);
    if (isOurCommand(parts)) addBounded(this.commands, event.id, maxSaid);
    if (!this.first(`user ${event.id}`)) return [];
    return [event];
  }

  take(type: string, properties: Json): SessionEvent[] {
    switch (type) {
      case "session.status":
        return this.status(string(object(properties["status"])["type"]));
      case "session.idle":
        return this.status("idle");
      case "session.error":
        return this.failed(object(properties["error"]));
      case "session.compacted":
        return this.compacted();
      case "session.updated":
        return this.updated(object(properties["info"]));
      case "session.deleted":
        return [{ type: "closed", session: this.id }];
      case "message.updated":
        return this.messageUpdated(object(properties["info"]));
      case "message.part.updated":
        return this.part(object(properties["part"]));
    }
    return [];
  }

  private status(status: string | undefined): SessionEvent[] {
    if (status === "busy") {
      if (this.busy) return [];
      this.busy = true;
      this.outcome = undefined;
      return [{ type: "turn_start", session: this.id }];
    }
    if (status !== "idle" || !this.busy) return []; // retry: the turn goes on
    this.busy = false;
    const events: SessionEvent[] = [...this.steps.keys()].flatMap((message) => this.stepEnd(message));
    if (this.compacting) {
      this.compacting = false;
      events.push({ type: "compacted", session: this.id, failed: true });
    }
    events.push(compact({ type: "turn_end", session: this.id, outcome: "ok", ...this.outcome }));
    return events;
  }

  private failed(error: Json): SessionEvent[] {
    const name = string(error["name"]) ?? "";
    const reason = string(object(error["data"])["message"]) ?? name;
    this.outcome = name === "MessageAbortedError" ? { outcome: "interrupted", reason: "user" } : { outcome: "failed", reason };
    return [];
  }

  private compacted(): SessionEvent[] {
    this.compacting = false;
    const { summary } = this;
    this.summary = "";
    return [compact({ type: "compacted", session: this.id, summary: cutEnd(summary).text })];
  }

  private updated(info: Json): SessionEvent[] {
    const message = string(object(info["revert"])["messageID"]);
    if (message === this.reverted) return [];
    this.reverted = message;
    return message === undefined ? [] : [{ type: "reverted", session: this.id, message }];
  }

  private messageUpdated(info: Json): SessionEvent[] {
    const id = string(info["id"]) ?? "";
    const parent = string(info["parentID"]);
    const copied = !this.live && isCopied(info, this.born);
    setBounded(this.roles, id, { role: string(info["role"]) ?? "", summary: info["summary"] === true, copied, ...(parent ? { parent } : {}) }, maxSaid);
    if (copied) return [];
    return number(object(info["time"])["completed"]) === undefined ? [] : this.stepEnd(id);
  }

  private part(part: Json): SessionEvent[] {
    const message = string(part["messageID"]) ?? "";
    const from = this.roles.get(message);
    if (from?.copied) return [];
    switch (part["type"]) {
      case "text":
        if (from?.role !== "assistant") return this.userPart(part, message, from?.role);
        return from.parent !== undefined && this.commands.has(from.parent) ? [] : this.text(part, message, from.summary);
      case "tool":
        return this.tool(part, from?.parent);
      case "step-finish":
        if (!from?.summary) {
          setBounded(this.steps, message, { finish: string(part["reason"]), usage: part, files: this.steps.get(message)?.files ?? [] }, maxSaid);
        }
        return [];
      case "patch": {
        const step = this.steps.get(message);
        if (step) step.files = strings(part["files"]);
        return [];
      }
      case "compaction":
        if (this.compacting) return [];
        this.compacting = true;
        return [{ type: "compacting", session: this.id }];
    }
    return [];
  }

  private text(part: Json, message: string, summary: boolean): SessionEvent[] {
    if (number(object(part["time"])["end"]) === undefined) return []; // still being written
    const { text, cut } = cutEnd(string(part["text"]) ?? "");
    if (summary) {
      this.summary = text;
      return [];
    }
    if (text === "" || !this.first(`part ${string(part["id"])}`)) return [];
    return [compact({ type: "text", session: this.id, message, text, cut })];
  }

  /** A message of role user that no hook has shown: V1 made it by itself. */
  private userPart(part: Json, message: string, role: string | undefined): SessionEvent[] {
    if (part["synthetic"] === true && string(part["text"])?.startsWith(shellMark)) {
      addBounded(this.shells, message, maxSaid);
      return [];
    }
    if (role !== "user" || part["synthetic"] !== true || !this.first(`user ${message}`)) return [];
    return [userOf(this.id, { id: message }, [part])];
  }

  private tool(part: Json, parent: string | undefined): SessionEvent[] {
    const status = object(part["state"])["status"];
    if (status !== "completed" && status !== "error") return [];
    if (!this.first(`tool ${string(part["id"])}`)) return [];
    const event = toolOf(this.id, part);
    if (parent === undefined || !this.shells.has(parent)) return [event];
    const command = string(object(object(part["state"])["input"])["command"]) ?? "";
    return [
      compact({
        type: "shell",
        session: this.id,
        command,
        output: event.output,
        cut: event.cut,
        ...(event.hasExit ? { hasExit: true, exit: event.exit ?? 0 } : {}),
      }),
    ];
  }

  private stepEnd(message: string): SessionEvent[] {
    const step = this.steps.get(message);
    if (!step) return [];
    this.steps.delete(message);
    return [stepOf(this.id, message, step)];
  }

  private first(key: string): boolean {
    if (this.said.has(key)) return false;
    addBounded(this.said, key, maxSaid);
    return true;
  }
}

/** A message of role user. What V1 adds to it (the text of a mentioned file) is synthetic and left out. */
export function userOf(session: string, info: Json, parts: readonly unknown[]): User {
  const all = parts.map(object);
  const texts = all.filter((part) => part["type"] === "text" && part["ignored"] !== true);
  const typed = texts.filter((part) => part["synthetic"] !== true);
  const metadata = Object.assign({}, ...all.map((part) => object(part["metadata"]))) as Json;
  const advisor = metadata["advisor"] === true;
  const continuation = metadata["compaction_continue"] === true;
  const foreign = !advisor && !continuation && Object.keys(metadata).length > 0;
  const spoken = typed.length > 0 ? typed : texts;
  return compact({
    type: "user",
    session,
    id: string(info["id"]) ?? "",
    text: cutEnd(spoken.map((part) => string(part["text"]) ?? "").join("\n")).text,
    created: number(object(info["time"])["created"]),
    agent: string(info["agent"]),
    advisor,
    synthetic: typed.length === 0 && texts.length > 0,
    foreign,
    continuation,
    // A command's or a subtask's message has no text of its own; who started it is not said.
    typed: typed.length > 0 && !advisor && !foreign && !continuation,
  });
}

/**
 * Whether a user message carries what a command of ours answered. V1 has the primary say it once more; those words are
 * ours, so that nobody reviews them. What else the primary does then is its own.
 */
export function isOurCommand(parts: readonly unknown[]): boolean {
  return parts.some((part) => {
    const metadata = object(object(part)["metadata"]);
    return metadata["advisor"] === true && metadata["command"] === true;
  });
}

export function toolOf(session: string, part: Json): Extract<Event, { type: "tool" }> {
  const state = object(part["state"]);
  const metadata = object(state["metadata"]);
  const failed = state["status"] === "error";
  const { text, cut } = cutMiddle((failed ? string(state["error"]) : string(state["output"])) ?? "");
  const exit = number(metadata["exit"]);
  return compact({
    type: "tool",
    session,
    message: string(part["messageID"]),
    call: string(part["callID"]) ?? string(part["id"]) ?? "",
    name: string(part["tool"]) ?? "",
    input: boundInput(state["input"] ?? {}),
    output: text,
    cut,
    failed,
    files: changedFiles(metadata),
    diagnostics: diagnosticsOf(metadata["diagnostics"], changedFiles(metadata)),
    ...(exit === undefined ? {} : { hasExit: true, exit }),
  });
}

export function stepOf(session: string, message: string, step: Step): SessionEvent {
  const tokens = object(step.usage["tokens"]);
  return compact({
    type: "step_end",
    session,
    message,
    finish: step.finish,
    files: step.files,
    tokens: compact({
      input: number(tokens["input"]),
      output: number(tokens["output"]),
      reasoning: number(tokens["reasoning"]),
      cacheRead: number(object(tokens["cache"])["read"]),
      cacheWrite: number(object(tokens["cache"])["write"]),
      cost: Math.round((number(step.usage["cost"]) ?? 0) * 1e6),
    }),
  });
}

/** edit has filediff, write filepath, apply_patch files. */
function changedFiles(metadata: Json): string[] {
  const one = string(object(metadata["filediff"])["file"]) ?? string(metadata["filepath"]);
  if (one) return [one];
  return list(metadata["files"])
    .map((file) => string(file) ?? string(object(file)["filePath"]) ?? string(object(file)["file"]))
    .filter((file) => file !== undefined);
}

const severities = ["", "error", "warning", "info", "hint"];
/** A broken header can bring thousands; the guest shows a few. */
const maxDiagnostics = 50;

/** What the language server said of the files that this call changed, by path. */
function diagnosticsOf(value: unknown, changed: string[]): Diagnostic[] {
  const all = object(value);
  const paths = Object.keys(all).sort((a, b) => Number(changed.includes(b)) - Number(changed.includes(a)));
  const found: Diagnostic[] = [];
  for (const path of paths) {
    for (const item of list(all[path])) {
      if (found.length >= maxDiagnostics) return found;
      const diagnostic = object(item);
      const line = number(object(object(diagnostic["range"])["start"])["line"]);
      found.push(
        compact({
          path,
          line: line === undefined ? undefined : line + 1,
          severity: severities[number(diagnostic["severity"]) ?? 1],
          text: cutEnd(string(diagnostic["message"]) ?? "", 1024).text,
        }),
      );
    }
  }
  return found;
}
