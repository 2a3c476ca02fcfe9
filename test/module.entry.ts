// Compiles and starts the guest: FILE. It says whether the engine has vector instructions.

import * as fs from "node:fs";
import * as os from "node:os";
import { Files } from "../host/fs.ts";
import { Guest } from "../host/guest.ts";
import { compile } from "../host/module.ts";

const bytes = fs.readFileSync(process.argv[2]!);
const guest = new Guest(await compile(bytes), { files: new Files(os.tmpdir()), send: () => false, cancel: () => {}, log: () => {}, interrupted: () => false });
console.log(WebAssembly.validate(bytes), typeof guest.call);
