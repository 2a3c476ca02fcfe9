// What a host knows of its models' prices, in the shapes that hosts have them.

import { type Json, number, object, string } from "./opencode/json.ts";
import type { ModelPrice } from "./protocol.gen.ts";

/** The price of one model, from dollars for a million tokens; undefined where the host tells none. */
export function priceOf(model: string, cost: unknown): ModelPrice | undefined {
  // OpenCode's later versions have a list, for prices that rise with the context; the first is the usual one.
  const facts: Json = object(Array.isArray(cost) ? cost[0] : cost);
  const cache = object(facts["cache"]);
  const input = micros(facts["input"]);
  const output = micros(facts["output"]);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = micros(facts["cacheRead"]) ?? micros(facts["cache_read"]) ?? micros(cache["read"]);
  const cacheWrite = micros(facts["cacheWrite"]) ?? micros(facts["cache_write"]) ?? micros(cache["write"]);
  return { model, input, output, ...(cacheRead === undefined ? {} : { cacheRead }), ...(cacheWrite === undefined ? {} : { cacheWrite }) };
}

/** The prices of a provider's models: a record by id, or a list. */
export function pricesOf(models: unknown): ModelPrice[] {
  return Object.entries(object(models)).flatMap(([key, value]) => {
    const model = object(value);
    return priceOf(string(model["id"]) ?? key, model["cost"]) ?? [];
  });
}

function micros(dollars: unknown): number | undefined {
  const n = number(dollars);
  return n === undefined || !(n >= 0 && n < 1e6) ? undefined : Math.round(n * 1e6);
}
