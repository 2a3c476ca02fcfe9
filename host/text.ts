// Cutting what the host gives to what the guest takes. Sizes are bytes of UTF-8.

/** The longest text or tool output that is handed to the guest. */
export const maxText = 64 * 1024;

const encoder = new TextEncoder();
const scratch = new Uint8Array(maxText);

export interface Cut {
  text: string;
  cut: number; // bytes left out; 0 when nothing was
}

/** Keeps the beginning and the end of a tool's output: both ends tell more than the middle. */
export function cutMiddle(text: string, max = maxText): Cut {
  if (fits(text, max)) return { text, cut: 0 };
  const head = beginning(text, max >> 1);
  const tail = ending(text, max - (max >> 1));
  return { text: head + tail, cut: Buffer.byteLength(text.slice(head.length, text.length - tail.length)) };
}

/** Keeps the beginning. */
export function cutEnd(text: string, max = maxText): Cut {
  if (fits(text, max)) return { text, cut: 0 };
  const head = beginning(text, max);
  return { text: head, cut: Buffer.byteLength(text.slice(head.length)) };
}

function fits(text: string, max: number): boolean {
  // A UTF-16 unit is at most three bytes, so that most texts need no count.
  return text.length * 3 <= max || (text.length <= max && Buffer.byteLength(text) <= max);
}

// A unit is at least one byte, so that no more than max of them can be kept; when all are
// ASCII, as they mostly are, these are it. This runs on the host's thread.

function beginning(text: string, max: number): string {
  const head = text.slice(0, max);
  if (Buffer.byteLength(head) === head.length) return head;
  const { read } = encoder.encodeInto(head, scratch.subarray(0, max));
  return head.slice(0, read);
}

function ending(text: string, max: number): string {
  const tail = text.slice(-max);
  if (Buffer.byteLength(tail) === tail.length) return tail;
  const bytes = encoder.encode(tail);
  let start = Math.max(0, bytes.length - max);
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++; // not in the middle of a character
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString("utf8");
}

/** A failure in one line, for logs and details. */
export function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, " ").trim().slice(0, 300) || "unknown failure";
}
