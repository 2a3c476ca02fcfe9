// What V1 knows of model providers: its config, as the config hook gave it, and
// its own list, which has keys of logins and addresses of the built-in ones.

import { pricesOf } from "../prices.ts";
import type { Header, Provider } from "../protocol.gen.ts";
import { type Json, list, object, string, within } from "./json.ts";
import type { V1Client } from "./v1.ts";

/** A machine that starts ten programs at once is slow, and who has no answer has no model until the host starts again. */
const lookupMs = 12_000;

export async function readProviders(client: V1Client, config: Json, ids: string[]): Promise<Provider[]> {
  const found = await within(lookupMs, () => client.config.providers());
  const listed = list(object(found?.data)["providers"]).map(object);
  return ids.map((id) => {
    const own = object(config[id]);
    const known = object(listed.find((provider) => provider["id"] === id));
    if (Object.keys(own).length === 0 && Object.keys(known).length === 0) return { id, known: false };
    const options = { ...object(known["options"]), ...object(own["options"]) };
    const provider: Provider = { id, known: true };
    const baseURL = string(options["baseURL"]) || string(own["api"]) || modelURL(object(known["models"]));
    if (baseURL) provider.baseURL = baseURL;
    const apiKey = string(options["apiKey"]) || string(known["key"]);
    if (apiKey) provider.apiKey = apiKey;
    const headers = Object.entries(object(options["headers"]))
      .filter((entry): entry is [string, string] => typeof entry[1] === "string")
      .map(([name, value]): Header => ({ name, value }));
    if (headers.length > 0) provider.headers = headers;
    const prices = pricesOf(known["models"]);
    if (prices.length > 0) provider.prices = prices;
    return provider;
  });
}

/** The address that V1 has for the provider's models; they share it. */
function modelURL(models: Json): string | undefined {
  for (const model of Object.values(models)) {
    const url = string(object(object(model)["api"])["url"]);
    if (url) return url;
  }
  return undefined;
}

/** All models that V1 has, as provider/model. */
export async function listModels(client: V1Client): Promise<string[]> {
  const found = await within(lookupMs, () => client.config.providers());
  return list(object(found?.data)["providers"])
    .map(object)
    .flatMap((provider) => Object.keys(object(provider["models"])).map((model) => `${string(provider["id"]) ?? ""}/${model}`));
}
