// Stands in for opencode in a trial of superadvisor doctor: fake-host.mjs <behaviour> <where it tells of itself> <arguments>.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

const [behaviour, observer, ...args] = process.argv.slice(2);
const { argv0, env } = process;

if (args[0] === "--version") {
  if (behaviour === "managed" && !fs.existsSync(path.join(env.HOME, "project"))) {
    console.error("no version of it is set");
    process.exit(1);
  }
  fs.mkdirSync(path.join(env.XDG_DATA_HOME ?? path.join(env.HOME, ".local", "share"), "opencode"), { recursive: true });
  console.log("1.18.33");
  process.exit();
}

/** Tells the test, and waits for its answer. */
const tell = (what) => fetch(observer, { method: "POST", body: JSON.stringify(what) }).then((response) => response.text());

function model(id, messages) {
  const { provider } = JSON.parse(fs.readFileSync(path.join(env.XDG_CONFIG_HOME, "opencode", "opencode.json"), "utf8"));
  return fetch(`${provider.doctor.options.baseURL}/chat/completions`, { method: "POST", body: JSON.stringify({ model: id, tools: [], messages }) }).then((response) => response.text());
}

switch (behaviour) {
  case "works": {
    await tell({ args, env, folder: fs.readdirSync("..").sort(), cwd: process.cwd() });
    await model("agent", []);
    await model("advisor", []);
    const [call] = JSON.parse(await model("advisor", [])).choices[0].message.tool_calls;
    await model("advisor", []);
    await model("agent", [JSON.parse(call.function.arguments).note]);
    console.error("it should have been ended");
    break;
  }
  case "ends":
    await model("agent", []);
    console.error("\u001b[31mError:\u001b[0m it has no network");
    process.exitCode = 1;
    break;
  case "hangs":
    // What it has started hangs with it, and would outlive it.
    spawn(argv0, [process.argv[1], "stays", observer], { stdio: "inherit" });
    await tell({ cwd: process.cwd() });
    break;
  case "leaves":
    spawn(argv0, [process.argv[1], "stays", observer], { stdio: "inherit" });
    await tell({ cwd: process.cwd() });
    process.exit();
    break;
  case "stays":
    await tell({});
    break;
}
