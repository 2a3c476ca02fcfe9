// What a V1 session was forked from. V1 does not say so: it makes a session without a parent and copies the messages
// into it, under new ids and with their old times. So a message that is older than its session was copied, and
// the origin is the session in which each of the copied messages stands.

import { type Json, list, number, object, string } from "./json.ts";
import type { V1Client } from "./v1.ts";

/** Sessions that are looked through for the copied messages, the likely ones first. */
const maxCandidates = 8;
const forked = /^(.*) \(fork #(\d+)\)$/;

/** Whether the title is one that V1 gives to forks. */
export function looksForked(title: string | undefined): boolean {
  return title !== undefined && forked.test(title);
}

/** Whether a message was copied into a session that was made at born. */
export function isCopied(info: Json, born: number | undefined): boolean {
  const created = number(object(info["time"])["created"]);
  return born !== undefined && created !== undefined && created < born;
}

export async function originOf(client: V1Client, id: string, title: string | undefined, born: number): Promise<string | undefined> {
  const copied = keysOf((await client.session.messages({ path: { id } })).data, born);
  if (copied.length === 0) return undefined;
  const before = (session: Json) => (number(object(session["time"])["created"]) ?? Infinity) <= born;
  const likely = titleOfOrigin(title);
  const candidates = list((await client.session.list()).data)
    .map(object)
    .filter((session) => session["id"] !== id && !session["parentID"] && before(session))
    .sort((a, b) => rank(b, likely) - rank(a, likely));
  for (const session of candidates.slice(0, maxCandidates)) {
    const candidate = string(session["id"]) ?? "";
    const own = new Set(keysOf((await client.session.messages({ path: { id: candidate } })).data, born));
    if (copied.every((key) => own.has(key))) return candidate;
  }
  return undefined;
}

function keysOf(messages: unknown, born: number): string[] {
  return list(messages)
    .map((message) => object(object(message)["info"]))
    .filter((info) => isCopied(info, born))
    .map((info) => `${string(info["role"])} ${number(object(info["time"])["created"])}`);
}

/** A fork of "x" is "x (fork #1)", and a fork of that "x (fork #2)". */
function titleOfOrigin(title: string | undefined): string | undefined {
  const [, base, n] = forked.exec(title ?? "") ?? [];
  return base === undefined || n === "1" ? base : `${base} (fork #${Number(n) - 1})`;
}

function rank(session: Json, title: string | undefined): number {
  const updated = number(object(session["time"])["updated"]) ?? 0;
  return session["title"] === title ? Number.MAX_SAFE_INTEGER : updated;
}
