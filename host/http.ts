// HTTP for the guest: requests to the origins that were named at the start, and to no others.

import { type Exchange, isRedirect, ownClient } from "./exchange.ts";
import type { HTTP, HTTPSend } from "./protocol.gen.ts";
import { describe } from "./text.ts";

/** A reply is read this far at most, whatever the guest asks for. */
export const maxReply = 4 * 1024 * 1024;
/** Requests under way at once: several reviewers and a consultation, with room. */
export const maxOpen = 16;
/** Longest life of one request. */
const maxTimeoutMs = 10 * 60 * 1000;
/** Answer headers that are handed on; the rest tells nothing that a codec needs. */
const maxHeaders = 64;

export class Http {
  private readonly open = new Map<string, AbortController>();
  private origins: ReadonlySet<string> | undefined;

  constructor(
    private readonly done: (event: HTTP) => void,
    private readonly exchange: Exchange = ownClient,
  ) {}

  /** Fixes the origins for good. A later call is ignored. */
  allow(origins: readonly string[]): void {
    this.origins ??= new Set(origins.map(originOf).filter((origin) => origin !== undefined));
  }

  get count(): number {
    return this.open.size;
  }

  /** Starts a request. False: too many are open, or the id is in use; nothing happens then. */
  send(request: HTTPSend): boolean {
    if (this.open.size >= maxOpen || this.open.has(request.id)) return false;
    const controller = new AbortController();
    this.open.set(request.id, controller);
    void this.run(request, controller).then((event) => {
      // Cancelled or cleared in the meantime: nobody waits for it.
      if (this.open.get(request.id) !== controller) return;
      this.open.delete(request.id);
      this.done(event);
    });
    return true;
  }

  cancel(id: string): void {
    this.open.get(id)?.abort();
    this.open.delete(id);
  }

  clear(): void {
    for (const id of [...this.open.keys()]) this.cancel(id);
  }

  private async run(request: HTTPSend, controller: AbortController): Promise<HTTP> {
    const failed = (failure: string, detail: string): HTTP => ({ type: "http", id: request.id, failure, detail });
    const origin = originOf(request.url);
    if (origin === undefined || !this.origins?.has(origin)) {
      return failed("origin", `${origin ?? "the address"} is not the configured endpoint`);
    }
    const limit = Math.min(Math.max(1, request.timeoutMs), maxTimeoutMs);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, limit);
    timer.unref();
    try {
      const { method, headers = [], body = "" } = request;
      const got = await this.exchange(request.url, { method, headers, body }, controller.signal, Math.min(Math.max(1, request.maxBytes), maxReply));
      if (isRedirect(got.status)) return failed("redirect", `the endpoint answered ${got.status || "a redirect"}; redirects are not followed`);
      return {
        type: "http",
        id: request.id,
        status: got.status,
        headers: got.headers.slice(0, maxHeaders).map(([name, value]) => ({ name: name.toLowerCase(), value })),
        body: got.body,
        ...(got.cut ? { cut: true } : {}),
      };
    } catch (error) {
      if (timedOut) return failed("timeout", `no answer within ${limit} ms`);
      if (controller.signal.aborted) return failed("cancelled", "");
      return failed("network", reason(error));
    } finally {
      clearTimeout(timer);
    }
  }
}

/** scheme://host:port of an http(s) address without credentials, in its canonical form. */
function originOf(address: string): string | undefined {
  try {
    const url = new URL(address);
    if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
    if (url.username || url.password) return undefined;
    return url.origin;
  } catch {
    return undefined;
  }
}

/** Why a fetch failed: the system's word for it, without the address, which may hold a key. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return code ? String(code) : describe(cause).replace(/https?:\/\/\S+/g, "the endpoint");
}
