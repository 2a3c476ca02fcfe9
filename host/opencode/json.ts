// Reading what a host gives without trusting its shape: hosts change between
// versions, and an adapter that throws would cost the session its advisor.

export type Json = Record<string, unknown>;

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value) ? (value as Json) : {}; // bytes have millions of keys
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function strings(value: unknown): string[] {
  return list(value).filter((item): item is string => typeof item === "string");
}

/** Some versions wrap results in {data}. */
export function unwrap(value: unknown): unknown {
  const keys = object(value);
  return "data" in keys ? keys["data"] : value;
}

/** Leaves out keys without a value: on the wire a missing key is the zero value. */
export function compact<T extends object>(value: T): T {
  for (const key of Object.keys(value) as (keyof T)[]) {
    const field = value[key];
    if (field === undefined || field === "" || field === false || field === 0 || (Array.isArray(field) && field.length === 0)) delete value[key];
  }
  return value;
}

/** A value within ms, or undefined: for facts that are good to have. */
export async function within<T>(ms: number, ask: () => Promise<T> | T): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
    timer.unref();
  });
  try {
    return await Promise.race([Promise.resolve(ask()), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** What ask gives, or otherwise where it throws: for what a host gives and nobody else has checked. */
export function attempt<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

/** Lets work run on its own. What fails in it is not the host's: a rejection that nobody hears could end its process. */
export function aside(work: () => Promise<unknown>): void {
  void (async () => work())().catch(() => {});
}
