// One of two processes that claim the same keys; prints those that it was granted.

import { Store } from "../host/store.ts";

const store = new Store(process.argv[2]!, "o");
for (let i = 0; i < 50; i++) {
  const key = i.toString(16).padStart(32, "0");
  if (store.claim("s1", key).granted) console.log(key);
}
