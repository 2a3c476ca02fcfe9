// Cutting what the host gives to what the guest takes. Sizes are characters (UTF-16 units): counting
// bytes would read a long text on the host's thread, and taking a slice does not.

/** The longest text or tool output that is handed to the guest. */
export const maxText = 64 * 1024;

export interface Cut {
  text: string;
  cut: number; // characters left out; 0 when nothing was
}

/** Keeps the beginning and the end of a tool's output: both ends tell more than the middle. Mark stands between them. */
export function cutMiddle(text: string, max = maxText, mark: (cut: number) => string = () => ""): Cut {
  if (text.length <= max) return { text, cut: 0 };
  const head = wholeEnd(text, max >> 1);
  let from = text.length - (max - (max >> 1));
  if (splits(text, from)) from++;
  return { text: text.slice(0, head) + mark(from - head) + text.slice(from), cut: from - head };
}

/** Keeps the beginning. */
export function cutEnd(text: string, max = maxText): Cut {
  if (text.length <= max) return { text, cut: 0 };
  const head = wholeEnd(text, max);
  return { text: text.slice(0, head), cut: text.length - head };
}

/** A text that others wrote, for a person to decide by: what would move the cursor, turn the direction or not show is written out. */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

function wholeEnd(text: string, end: number): number {
  return splits(text, end) ? end - 1 : end;
}

/** Whether a cut here would go through a character of two units. */
function splits(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/**
 * A failure in one line, for logs and details. One that may quote a key, as a provider's does, goes to the guest with
 * max = maxText: the guest takes keys out and then shortens it, for half a key is no longer known as one.
 */
export function describe(error: unknown, max = 300): string {
  return wordsOf(error).replace(/\s+/g, " ").trim().slice(0, max) || "unknown failure";
}

/** Anything can be thrown, and not everything can be made a text. */
function wordsOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "";
  }
}
