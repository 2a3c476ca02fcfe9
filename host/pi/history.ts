// A branch of pi's session file as the events that its entries would have been.

import { type Json, list, object, string } from "../opencode/json.ts";
import { assistantTexts, compactedOf, customOf, type SessionEvent, shellOf, stepOf, toolOf, userOf } from "./events.ts";

export function readBranch(session: string, entries: unknown[], isForeign: (id: string) => boolean): SessionEvent[] {
  const calls = new Map<string, unknown>(); // arguments, by call
  const events: SessionEvent[] = [];
  let open: { message: Json; files: string[] } | undefined; // the assistant's message whose results are being read
  const close = () => {
    if (open) events.push(stepOf(session, open.message, open.files));
    open = undefined;
  };
  for (const item of entries) {
    const entry = object(item);
    const message = object(entry["message"]);
    if (entry["type"] === "message" && message["role"] === "toolResult") {
      const call = string(message["toolCallId"]) ?? "";
      const tool = toolOf(session, call, string(message["toolName"]) ?? "", calls.get(call), message["content"], message["isError"] === true);
      open?.files.push(...(tool.files ?? []));
      events.push(tool);
      continue;
    }
    close();
    if (entry["type"] === "compaction") events.push(compactedOf(session, entry));
    else if (entry["type"] === "custom_message") events.push(customOf(session, entry));
    else if (entry["type"] !== "message") continue;
    else if (message["role"] === "user") {
      const user = userOf(session, message, false);
      events.push(isForeign(user.id) ? userOf(session, message, true) : user);
    } else if (message["role"] === "bashExecution") {
      events.push(shellOf(session, message));
    } else if (message["role"] === "assistant") {
      events.push(...assistantTexts(session, message));
      for (const part of list(message["content"]).map(object)) {
        if (part["type"] === "toolCall") calls.set(string(part["id"]) ?? "", part["arguments"]);
      }
      if (message["stopReason"] !== "error" && message["stopReason"] !== "aborted") open = { message, files: [] };
    }
  }
  close();
  return events;
}

/**
 * When a session was made, and what it was forked from: pi names the file of a parent in the header. A session that only
 * remembers its parent has none of its messages, and one that was forked has.
 */
export function lineage(header: unknown, entries: unknown[]): { born?: number; origin?: string } {
  const about = object(header);
  const born = Date.parse(string(about["timestamp"]) ?? "");
  if (Number.isNaN(born)) return {};
  const copied = entries.some((entry) => Date.parse(string(object(entry)["timestamp"]) ?? "") < born);
  const origin = copied ? /_([^_/\\]+)\.jsonl$/.exec(string(about["parentSession"]) ?? "")?.[1] : undefined;
  return { born, ...(origin ? { origin } : {}) };
}

/** The messages of a branch, as they are. */
export function messagesOf(entries: unknown[]): Json[] {
  return entries.map(object).filter((entry) => entry["type"] === "message").map((entry) => object(entry["message"]));
}
