// The long form: node soak-long.entry.js [events] [sessions]

import * as path from "node:path";
import { complaints, describeFigures, soak } from "./soak.ts";

declare const PROJECT_ROOT: string;

const [events = "100000", sessions = "200"] = process.argv.slice(2);
const figures = await soak(path.join(PROJECT_ROOT, "dist", "superadvisor.wasm"), new URL("soak-worker.entry.js", import.meta.url), Number(events), Number(sessions));
console.log(describeFigures(figures));
const wrong = complaints(figures);
for (const line of wrong) console.error(`soak: ${line}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
