// What V2 knows of a model provider.

import { priceOf, pricesOf } from "../prices.ts";
import type { Header, ModelPrice, Provider } from "../protocol.gen.ts";
import { type Json, list, object, string, unwrap, within } from "./json.ts";
import type { V2Context } from "./v2-types.ts";

const lookupMs = 5_000;
/** Without prices costs are estimated, so they are not worth much of a wait. */
const pricesMs = 1_000;

export async function readProvider(context: V2Context, id: string): Promise<Provider> {
  const found = await within(lookupMs, async () => {
    if (context.provider?.get) return context.provider.get({ providerID: id });
    return context.catalog?.provider?.get?.(id);
  });
  const record = object(unwrap(found));
  const info = object(record["provider"] ?? record); // the beta wraps it once more
  if (Object.keys(info).length === 0) return { id, known: false };
  const settings = { ...object(info["options"]), ...object(info["settings"]) };
  const provider: Provider = { id, known: true };
  const baseURL = string(settings["baseURL"]);
  if (baseURL) provider.baseURL = baseURL;
  const apiKey = string(settings["apiKey"]) || (await connectionKey(context, string(info["integrationID"])));
  if (apiKey) provider.apiKey = apiKey;
  const headers = Object.entries({ ...object(settings["headers"]), ...object(info["headers"]) })
    .filter((entry): entry is [string, string] => typeof entry[1] === "string")
    .map(([name, value]): Header => ({ name, value }));
  if (headers.length > 0) provider.headers = headers;
  const prices = await readPrices(context, id, info);
  if (prices.length > 0) provider.prices = prices;
  return provider;
}

/** Prices stand with the provider's models, or in the list of all models. */
async function readPrices(context: V2Context, id: string, info: Json): Promise<ModelPrice[]> {
  const own = pricesOf(info["models"]);
  if (own.length > 0) return own;
  return (await allModels(context))
    .filter((model) => model["providerID"] === id)
    .flatMap((model) => priceOf(string(model["id"]) ?? "", model["cost"]) ?? []);
}

async function allModels(context: V2Context): Promise<Json[]> {
  const models = context.model ?? context.catalog?.model;
  const found = unwrap(await within(pricesMs, async () => models?.list?.()));
  const record = object(found);
  return list(Array.isArray(found) ? found : (record["models"] ?? record["data"])).map(object);
}

/** Every model of the host, as provider/model. */
export async function listModels(context: V2Context): Promise<string[]> {
  return (await allModels(context)).flatMap((model) => (string(model["providerID"]) && string(model["id"]) ? [`${String(model["providerID"])}/${String(model["id"])}`] : []));
}

/** The key of the connection that the person made; an OAuth login has none that could be handed on. */
async function connectionKey(context: V2Context, integration: string | undefined): Promise<string | undefined> {
  const connection = context.integration?.connection;
  if (!integration || !connection?.active || !connection.resolve) return undefined;
  const secret = await within(lookupMs, async () => {
    const active = await connection.active!(integration);
    return active ? connection.resolve!(active) : undefined;
  });
  const resolved = object(unwrap(secret));
  return resolved["type"] === "key" ? string(resolved["key"]) : undefined;
}
