// What pi knows of models, and how it runs one for us.

import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { list, object, string } from "../opencode/json.ts";
import { priceOf } from "../prices.ts";
import type { Generate, Generated, Header, Provider } from "../protocol.gen.ts";
import { textOf, usageOf } from "./events.ts";
import type { Complete, PiContext, PiModel, PiRegistry } from "./types.ts";

/**
 * A provider's endpoint, when all of its models speak chat completions at one address and its key may be
 * handed on: a subscription's token is for pi's own requests.
 */
export async function readProvider(registry: PiRegistry, id: string): Promise<Provider> {
  const models = registry.getAll().filter((model) => model.provider === id);
  const first = models[0];
  if (!first) return { id, known: false };
  const prices = models.flatMap((model) => priceOf(model.id, model.cost) ?? []);
  const known = { id, known: true, ...(prices.length > 0 ? { prices } : {}) };
  const plain = models.every((model) => model.api === "openai-completions" && model.baseUrl === first.baseUrl);
  if (!plain || registry.isUsingOAuth?.(first)) return known;
  const auth = await registry.getApiKeyAndHeaders(first);
  if (!auth.ok) return known;
  const headers = Object.entries(auth.headers ?? {})
    .filter((entry): entry is [string, string] => typeof entry[1] === "string")
    .map(([name, value]): Header => ({ name, value }));
  return {
    ...known,
    baseURL: first.baseUrl,
    ...(auth.apiKey ? { apiKey: auth.apiKey } : {}),
    ...(headers.length > 0 ? { headers } : {}),
  };
}

export async function generate(context: PiContext, effect: Generate, signal: AbortSignal): Promise<Pick<Generated, "text" | "failure" | "detail" | "tokens">> {
  const registry = context.modelRegistry;
  const model = effect.provider && effect.model ? registry.find(effect.provider, effect.model) : context.model;
  if (!model) return { failure: "refused", detail: `pi has no model ${effect.provider ?? ""}/${effect.model ?? ""}` };
  const own = registry.completeSimple ?? registry.complete;
  const complete: Complete | undefined = own ? own.bind(registry) : await besidePi();
  if (!complete) return { failure: "unsupported", detail: "this version of pi has no model call for extensions" };
  const auth = await registry.getApiKeyAndHeaders(model);
  if (!auth.ok) return { failure: "refused", detail: auth.error ?? `pi has no credentials for ${model.provider}: /login ${model.provider}` };
  if (signal.aborted) return { failure: "cancelled" };
  const answer = object(
    await complete(
      model,
      {
        ...(effect.system ? { systemPrompt: effect.system } : {}),
        messages: [{ role: "user", content: effect.prompt, timestamp: Date.now() }],
      },
      {
        ...(auth.apiKey ? { apiKey: auth.apiKey } : {}),
        ...(auth.headers ? { headers: auth.headers } : {}),
        signal,
        ...thinking(model, effect.effort),
        ...(effect.maxTokens ? { maxTokens: Math.min(effect.maxTokens, model.maxTokens ?? effect.maxTokens) } : {}),
      },
    ),
  );
  // A failure is an answer as well.
  if (answer["stopReason"] === "aborted") return { failure: "cancelled" };
  if (answer["stopReason"] === "error") return { failure: "failed", detail: string(answer["errorMessage"]) ?? "pi gave no reason" };
  const tokens = usageOf(answer);
  return { text: textOf(list(answer["content"]).filter((part) => object(part)["type"] === "text")), ...(Object.keys(tokens).length > 0 ? { tokens } : {}) };
}

/**
 * completeSimple of the pi-ai that belongs to the running pi. It cannot be imported by its name: an extension is
 * installed elsewhere, and what a runtime finds there, or fetches, is not pi's.
 */
async function besidePi(script = process.argv[1]): Promise<Complete | undefined> {
  try {
    let folder = path.dirname(fs.realpathSync(script ?? ""));
    for (;;) {
      const manifest = path.join(folder, "node_modules", "@mariozechner", "pi-ai", "package.json");
      if (fs.existsSync(manifest)) {
        const main = string(object(JSON.parse(fs.readFileSync(manifest, "utf8")))["main"]) ?? "dist/index.js";
        const found = object(await import(pathToFileURL(path.join(path.dirname(manifest), main)).href));
        return typeof found["completeSimple"] === "function" ? (found["completeSimple"] as Complete) : undefined;
      }
      const parent = path.dirname(folder);
      if (parent === folder) return undefined;
      folder = parent;
    }
  } catch {
    return undefined;
  }
}

const efforts = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The nearest level at or below the one that was asked for. Off is what pi does when none is named. */
export function thinking(model: PiModel, effort: string | undefined): { reasoning?: string } {
  const taken = effortsOf(model);
  const level = efforts.slice(0, efforts.indexOf(effort ?? "") + 1).findLast((each) => taken.includes(each));
  return level === undefined || level === "off" ? {} : { reasoning: level };
}

/** The thinking levels that a model takes. The two highest have to be named by the model itself. */
export function effortsOf(model: PiModel): string[] {
  if (!model.reasoning) return ["off"];
  const map = model.thinkingLevelMap ?? {};
  return efforts.filter((effort) => map[effort] !== null && (effort !== "xhigh" && effort !== "max" ? true : map[effort] !== undefined));
}

export function nameOf(model: PiModel): string {
  return `${model.provider}/${model.id}`;
}
