// session.context() as the events that its messages would have been.

import { cutEnd } from "../text.ts";
import { compact, type Json, list, number, object, string, strings } from "./json.ts";
import { compacted, outputOf, type SessionEvent, shellEvent, stepEnd, toolEvent, userEvent, userFacts } from "./v2-events.ts";

export function readContext(session: string, messages: unknown, ours: (id: string) => boolean): { events: SessionEvent[]; inputs: string[] } {
  const events: SessionEvent[] = [];
  const inputs: string[] = [];
  for (const item of list(messages)) {
    const message = object(item);
    const id = string(message["id"]) ?? "";
    const type = string(message["type"]);
    switch (type) {
      case "user":
      case "synthetic":
        inputs.push(id);
        events.push(userEvent(session, id, message, number(object(message["time"])["created"]), userFacts(type, message, ours(id))));
        break;
      case "assistant":
        events.push(...assistant(session, id, message));
        break;
      case "shell":
        events.push(shellEvent(session, string(message["command"]) ?? "", outputOf(message["output"]), number(message["exit"])));
        break;
      case "compaction":
        inputs.push(id);
        if (message["status"] === "completed" || message["status"] === undefined) events.push(compacted(session, string(message["summary"])));
        break;
      case "idle":
        events.push({ type: "turn_end", session, outcome: outcomes[string(message["outcome"]) ?? ""] ?? "ok" });
        break;
    }
  }
  return { events, inputs };
}

const outcomes: Record<string, string> = { succeeded: "ok", failed: "failed", interrupted: "interrupted" };

function assistant(session: string, id: string, message: Json): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const item of list(message["content"])) {
    const part = object(item);
    if (part["type"] === "text") {
      const { text, cut } = cutEnd(string(part["text"]) ?? "");
      if (text !== "") events.push(compact({ type: "text", session, message: id, text, cut }));
    } else if (part["type"] === "tool") {
      const state = object(part["state"]);
      const failed = state["status"] === "error";
      if (!failed && state["status"] !== "completed") continue; // still runs, or was cut off
      events.push(toolEvent(session, id, string(part["id"]) ?? "", string(part["name"]) ?? "", state["input"], state, failed));
    }
  }
  const finish = string(message["finish"]);
  if (finish !== undefined && finish !== "error") {
    events.push(stepEnd(session, id, finish, strings(object(message["snapshot"])["files"]), message));
  }
  return events;
}
