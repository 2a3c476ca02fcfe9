// Folders for tests, gone when the test is.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after } from "node:test";

const made: string[] = [];

export function scratch(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-")));
  made.push(folder);
  return folder;
}

after(() => {
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true });
});
