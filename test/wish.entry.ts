// One of several processes that leave wishes for the same session; all begin at about the same time.

import { Store } from "../host/store.ts";

const [folder, name] = process.argv.slice(2) as [string, string];
const store = new Store(folder, name);
for (let i = 0; i < 100; i++) {
  const { failure } = store.heed("s1", JSON.stringify({ do: "mute", about: `${name}-${i}` }), 0);
  if (failure) throw new Error(failure);
}
