// The guest's module, as this engine can run it.

/** One function with one vector instruction. V8 has those on processors with SSE 4.1, JavaScriptCore with AVX. */
const vectors = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 0x41, 0, 0xfd, 0x0f, 0x1a, 0x0b);

export function compile(file: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  return WebAssembly.compile(WebAssembly.validate(vectors) ? file : withoutVectors(file));
}

/**
 * A copy in which the functions with vector instructions have the bodies that Go's compiler wrote. The file ends in those, each behind
 * its place and its size, and in the size of all that: numbers of four bytes, the least first (internal/vector).
 */
export function withoutVectors(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(file); // a Buffer's slice would be the same memory
  const view = new DataView(out.buffer, out.byteOffset, out.length);
  const end = out.length - 4;
  for (let at = end - view.getUint32(end, true); at < end; ) {
    const from = at + 8;
    at = from + view.getUint32(from - 4, true);
    out.copyWithin(view.getUint32(from - 8, true), from, at);
  }
  return out;
}
