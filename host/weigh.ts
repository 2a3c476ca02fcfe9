// About how large an event is, to bound what is copied and handed over at once.

import type { Event, History } from "./protocol.gen.ts";

/** Bytes, roughly: what is long in an event are its texts. */
export function weigh(event: Event): number {
  let bytes = 256;
  if ("text" in event && event.text) bytes += event.text.length;
  if (event.type === "tool" || event.type === "shell") bytes += event.output?.length ?? 0;
  if (event.type === "tool" && typeof event.input === "object" && event.input) {
    for (const value of Object.values(event.input)) if (typeof value === "string") bytes += value.length;
  }
  if (event.type === "http") bytes += event.body?.length ?? 0;
  if (event.type === "history") for (const past of event.events ?? []) bytes += weigh(past);
  return bytes;
}

/** A history is handed to the guest in one piece; what is older than this is not read anyway. */
const maxHistory = 4 * 1024 * 1024;

/** Keeps the newest, and what people said in any case: it has the goal. */
export function boundHistory(history: History): History {
  let words = maxHistory;
  let rest = maxHistory;
  const kept = (history.events ?? []).toReversed().filter((event) => {
    const weight = weigh(event);
    return event.type === "user" ? (words -= weight) > 0 : (rest -= weight) > 0;
  });
  return { ...history, events: kept.reverse() };
}
