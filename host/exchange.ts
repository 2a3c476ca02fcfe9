// One request and its answer over the wire: by fetch, and by Node's own client. Node's fetch goes through streams, promises
// and objects for headers that take a millisecond of each request; Bun's is native, and its node:http is made of it.

import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Transform } from "node:stream";
import type { HTTPSend } from "./protocol.gen.ts";

/** One request and its answer, of which the body is left unread where it is a redirect. Rejects when there is none. */
export type Exchange = (url: string, request: Asked, signal: AbortSignal, max: number) => Promise<Received>;

type Asked = Pick<Required<HTTPSend>, "method" | "headers" | "body">;

export interface Received {
  status: number; // 0: a redirect that is not told
  headers: [string, string][];
  body: string;
  cut: boolean; // the body is longer than max bytes
}

export const isRedirect = (status: number) => status === 0 || (status >= 300 && status < 400 && status !== 304);

export const fetched: Exchange = async (url, { method, headers, body }, signal, max) => {
  const response = await fetch(url, {
    method,
    headers: headers.map(({ name, value }): [string, string] => [name, value]),
    ...(body ? { body } : {}),
    redirect: "manual",
    signal,
  });
  const { status } = response;
  if (isRedirect(status)) {
    void response.body?.cancel().catch(() => {});
    return { status, headers: [], body: "", cut: false };
  }
  return { status, headers: [...response.headers], ...(await readBody(response, max)) };
};

async function readBody(response: Response, max: number): Promise<{ body: string; cut: boolean }> {
  if (!response.body) return { body: "", cut: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let body = "";
  let room = max;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { body: body + decoder.decode(), cut: false };
    if (value.length > room) {
      body += decoder.decode(value.subarray(0, room), { stream: true });
      void reader.cancel().catch(() => {});
      return { body, cut: true };
    }
    room -= value.length;
    body += decoder.decode(value, { stream: true });
  }
}

/** As fetch has them, but for the packing: a reply is a few kilobytes. */
const defaults = { accept: "*/*", "user-agent": "node", "accept-encoding": "identity" };

/** What a server may send though it was asked for none of it. */
const decoders: Record<string, () => Transform> = {
  gzip: () => builtin("node:zlib").createGunzip(),
  "x-gzip": () => builtin("node:zlib").createGunzip(),
  deflate: () => builtin("node:zlib").createInflate(),
  br: () => builtin("node:zlib").createBrotliDecompress(),
};

/** Loaded when it is first asked for: it would hold up the start by ten milliseconds. */
const builtin = process.getBuiltinModule;

/** Node's own client where there is one that can be had later than at the start: from Node 20.16 on. */
export const ownClient: Exchange = "Bun" in globalThis || !builtin ? fetched : overNode;

export function overNode(address: string, { method, headers, body }: Asked, signal: AbortSignal, max: number): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { request } = builtin(address.startsWith("https:") ? "node:https" : "node:http");
    // By the global agent, which keeps connections and knows of a proxy. What is wrong in a header is said before it connects.
    const sent = request(address, { method, signal, headers: linesOf(headers) });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const status = response.statusCode ?? 0;
      const answer = (text: string, cut: boolean): Received => ({ status, headers: flat(response.headers), body: text, cut });
      if (isRedirect(status)) {
        resolve(answer("", false));
        sent.destroy();
        return;
      }
      const decode = decoders[response.headers["content-encoding"]?.toLowerCase() ?? ""];
      const readable: Readable = decode ? response.pipe(decode()) : response;
      const decoder = new TextDecoder();
      let text = "";
      let room = max;
      readable.on("data", (chunk: Buffer) => {
        if (chunk.length <= room) {
          room -= chunk.length;
          text += decoder.decode(chunk, { stream: true });
          return;
        }
        resolve(answer(text + decoder.decode(chunk.subarray(0, room), { stream: true }), true));
        readable.destroy();
        sent.destroy();
      });
      readable.on("end", () => resolve(answer(text + decoder.decode(), false)));
      readable.on("error", reject);
      response.on("error", reject);
    });
    sent.end(body || undefined);
  });
}

function linesOf(headers: Asked["headers"]): Record<string, string | string[]> {
  const lines: Record<string, string[]> = {};
  for (const { name, value } of headers) (lines[name.toLowerCase()] ??= []).push(value);
  return { ...defaults, ...lines };
}

function flat(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]);
}
