// What the primary and the person read of the tool and the commands; the same in V1 and V2.

export const consultDescription =
  "Ask the advisor, a stronger model that sees this session and can read the workspace, for guidance. " +
  "Use it before you commit to an approach that is hard to undo, when the same error comes back, " +
  "or before you declare a difficult task done. It only advises: you decide what to apply.";

export const questionDescription = "What you want to know, with the options that you see.";
export const contextDescription = "Anything that the session does not show yet: constraints, what you tried, error texts.";

/** The tool's arguments as JSON Schema. */
export const consultInput = {
  type: "object",
  properties: {
    question: { type: "string", description: questionDescription },
    context: { type: "string", description: contextDescription },
  },
  required: ["question"],
  additionalProperties: false,
} as const;

export const commands = [
  { name: "advisor", description: "The advisor: status, notes, why, mute, unmute" },
  { name: "ai-approval", description: "The permission judge: on, off, status" },
] as const;
