// What the primary and the person read of the tool and the commands; pi has its own places for the rules.

import { boundAsk } from "./input.ts";
import { attempt, object, string } from "./json.ts";

const purpose =
  "Ask the advisor, a stronger model that reads this session and can look into the workspace, for guidance. " +
  "Without a question it judges the whole of the work so far.";

export const whenToConsult =
  "Call it once you have read what the task needs and before you start the work or settle on an approach, before you build on an assumption, " +
  "when you are stuck, when you think of changing the approach, and before you say that a task of more than a few steps is done. " +
  "Write the result to disk before that last call: it takes time, and a written file outlives a session that ends meanwhile.";

export const howToWeigh =
  "Give what the advisor says serious weight, and adapt when a step fails in practice or the code itself contradicts a claim of it. " +
  "When what you found and what the advisor said are in conflict, do not pick one silently: put the conflict to the advisor in one more call.";

export const shortDescription = `${purpose} ${whenToConsult}`;
export const consultDescription = `${shortDescription} ${howToWeigh}`;

export const questionDescription = "What you want to know, with the options that you see. Leave it empty to have the whole work judged.";
export const contextDescription = "Anything that the session does not show yet: constraints, what you tried, error texts.";

/** The tool's arguments as JSON Schema. */
export const consultInput = {
  type: "object",
  properties: {
    question: { type: "string", description: questionDescription },
    context: { type: "string", description: contextDescription },
  },
  required: [],
  additionalProperties: false,
} as const;

/** The tool's arguments, which nothing has checked. */
export function questionOf(args: unknown): { question: string; context: string } {
  const asked = object(boundAsk(args).value);
  return { question: string(asked["question"]) ?? "", context: string(asked["context"]) ?? "" };
}

/** Who calls a tool, and how they take it back: the signal is called abort in V1 and signal in V2. */
export function callerOf(call: unknown): { session: string; signal: AbortSignal | undefined } {
  const field = (name: string) => attempt(() => object(call)[name], undefined);
  return { session: string(field("sessionID")) ?? "", signal: signalOf(field("abort")) ?? signalOf(field("signal")) };
}

export function signalOf(value: unknown): AbortSignal | undefined {
  return attempt(() => (value instanceof AbortSignal ? value : undefined), undefined);
}

export const commands = [
  { name: "advisor", description: "The advisor: status, on, off, a model, notes, why, mute, unmute" },
  { name: "ai-approval", description: "The permission judge: on, off, status" },
] as const;
