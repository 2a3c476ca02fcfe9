// Finds the Bun that devDependencies name.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/** Where lifecycle scripts are off, its binary stays in the platform's package. */
export function findBun(root) {
  const modules = path.join(root, "node_modules");
  const platform = fs.existsSync(path.join(modules, "@oven")) ? fs.readdirSync(path.join(modules, "@oven")) : [];
  const places = [path.join(modules, "bun", "bin", "bun.exe"), ...platform.flatMap((name) => ["bun", "bun.exe"].map((file) => path.join(modules, "@oven", name, "bin", file)))];
  for (const place of places) {
    const stat = fs.statSync(place, { throwIfNoEntry: false });
    if (!stat || stat.size < 1e6) continue; // a placeholder
    if (spawnSync(place, ["--version"]).status === 0) return place;
  }
  return undefined;
}
