// The long form: node kill-long.entry.js [moments]

import * as path from "node:path";
import { describeKills, kill } from "./kill.ts";

declare const PROJECT_ROOT: string;

const kills = await kill(path.join(PROJECT_ROOT, "dist", "superadvisor.wasm"), new URL("kill-host.entry.js", import.meta.url), Number(process.argv[2] ?? "50"));
console.log(describeKills(kills));
for (const line of kills.more) console.error(`kill: ${line} wakes for one human message`);
process.exitCode = kills.more.length > 0 ? 1 : 0;
