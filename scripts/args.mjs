// The command line of a script. What it does not know is refused before anything runs.

import { parseArgs } from "node:util";

/** Gives {values, positionals}. --help prints the usage and ends; so does, with 2 and the reason, what is wrong. */
export function readArgs(usage, { options = {}, allowPositionals = false } = {}) {
  let read;
  try {
    read = parseArgs({ options: { ...options, help: { type: "boolean", short: "h" } }, allowPositionals });
  } catch (error) {
    misuse(usage, error.message.split(". ")[0]); // what follows is about arguments that begin with a dash
  }
  if (read.values.help) {
    console.log(usage);
    process.exit(0);
  }
  return read;
}

export function misuse(usage, why) {
  console.error(`${why}\n${usage}`);
  process.exit(2);
}

/** A whole number above 0, or a misuse. */
export function count(usage, what, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) misuse(usage, `${what}: want a whole number above 0, got ${JSON.stringify(text)}`);
  return Number(text);
}
