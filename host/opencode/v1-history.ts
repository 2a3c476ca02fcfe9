// client.session.messages() as the events that its messages would have been.

import { cutEnd } from "../text.ts";
import { compact, type Json, list, object, string, strings } from "./json.ts";
import { isOurCommand, type SessionEvent, stepOf, toolOf, userOf } from "./v1-events.ts";

export function readMessages(session: string, messages: unknown): SessionEvent[] {
  const events: SessionEvent[] = [];
  const commands = new Set<string>();
  for (const item of list(messages)) {
    const { info, parts } = object(item);
    const about = object(info);
    const own = list(parts).map(object);
    if (about["role"] === "user") {
      if (own.some((part) => part["type"] === "compaction")) continue; // its summary comes as the next message
      events.push(userOf(session, about, own));
      if (isOurCommand(own)) commands.add(string(about["id"]) ?? "");
    } else if (about["summary"] === true) {
      const summary = own.map((part) => (part["type"] === "text" ? (string(part["text"]) ?? "") : "")).join("");
      if (about["error"] === undefined) events.push(compact({ type: "compacted", session, summary: cutEnd(summary).text }));
    } else {
      const echo = commands.has(string(about["parentID"]) ?? "");
      events.push(...assistant(session, string(about["id"]) ?? "", echo ? own.filter((part) => part["type"] !== "text") : own));
    }
  }
  return events;
}

function assistant(session: string, id: string, parts: Json[]): SessionEvent[] {
  const events: SessionEvent[] = [];
  const files = parts.filter((part) => part["type"] === "patch").flatMap((part) => strings(part["files"]));
  for (const part of parts) {
    if (part["type"] === "text") {
      const { text, cut } = cutEnd(string(part["text"]) ?? "");
      if (text !== "") events.push(compact({ type: "text", session, message: id, text, cut }));
    } else if (part["type"] === "tool") {
      const status = object(part["state"])["status"];
      if (status === "completed" || status === "error") events.push(toolOf(session, part));
    } else if (part["type"] === "step-finish") {
      events.push(stepOf(session, id, { finish: string(part["reason"]), usage: part, files }));
    }
  }
  return events;
}
