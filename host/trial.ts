// Starts a host for superadvisor doctor, in a folder of its own beside a server that stands in for its models. What it
// is given and what the server answers is the guest's to say. Whatever happens, the end of this process
// included, the host is ended and the folder removed; only SIGKILL leaves them behind.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import type { Trial as Wanted, TrialAnswer, Tried } from "./protocol.gen.ts";
import { describe } from "./text.ts";
import { later } from "./timers.ts";

/** A model's request has some 100 KB. */
const maxBody = 4 * 1024 * 1024;
/** What is kept of the end of each output. */
const maxSaid = 4096;
/** Output may still be on its way when the program has ended. */
const lastWordsMs = 1000;

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

export class Trial {
  private readonly news: Tried[] = [];
  private hear: ((tried: Tried) => void) | undefined;
  private readonly open = new Map<number, http.ServerResponse>();
  private requests = 0;
  private readonly server = http.createServer((request, response) => this.asked(request, response));
  /** Where it plays, also when that has been removed. */
  folder = "";
  private child: ChildProcess | undefined;
  private readonly said = ["", ""];
  private late = false;
  private over = false;
  private readonly watched = new Map<NodeJS.Signals, () => void>();

  constructor(private readonly wanted: Wanted) {}

  /** Each answer gets one Tried, the next thing that happens. */
  begin(hear: (tried: Tried) => void): void {
    this.hear = hear;
    process.once("exit", this.clear);
    for (const [name, number] of Object.entries(signals) as [NodeJS.Signals, number][]) {
      const leave = () => process.exit(128 + number);
      this.watched.set(name, leave);
      process.once(name, leave);
    }
    this.server.once("error", (error) => this.end({ failure: describe(error) }));
    this.server.listen(0, "127.0.0.1", () => {
      try {
        this.start(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`);
      } catch (error) {
        this.end({ failure: describe(error) });
      }
    });
  }

  next({ request, contentType, body, end }: TrialAnswer, hear: (tried: Tried) => void): void {
    this.hear = hear;
    const response = this.open.get(request ?? 0);
    this.open.delete(request ?? 0);
    response?.writeHead(200, { "content-type": contentType ?? "application/json" }).end(body ?? "");
    if (end) this.kill();
    this.tell();
  }

  private start(url: string): void {
    const { wanted } = this;
    this.folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "superadvisor-trial-"));
    const fill = (text: string) => text.replaceAll("{folder}", this.folder).replaceAll("{url}", url);
    for (const file of wanted.files ?? []) {
      const to = path.join(this.folder, file.path);
      fs.mkdirSync(file.path.endsWith("/") ? to : path.dirname(to), { recursive: true });
      if (!file.path.endsWith("/")) fs.writeFileSync(to, fill(file.text ?? ""), { mode: 0o600 });
    }
    const env: NodeJS.ProcessEnv = {};
    for (const name of wanted.inherit ?? []) if (process.env[name] !== undefined) env[name] = process.env[name];
    for (const { name, value } of wanted.env ?? []) env[name] = fill(value ?? "");
    const windows = process.platform === "win32"; // there npm makes scripts of the shell, and a group is the tree below
    const args = (wanted.args ?? []).map(fill).map((arg) => (windows ? `"${arg}"` : arg));
    const child = spawn(wanted.program, args, { cwd: path.join(this.folder, wanted.dir), env, detached: !windows, shell: windows, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    const timer = later(wanted.ms, () => {
      this.late = true;
      this.kill();
    });
    [child.stdout, child.stderr].forEach((stream, n) => stream.on("data", (chunk: Buffer) => (this.said[n] = (this.said[n] + chunk.toString()).slice(-maxSaid))));
    const ended = (failure?: string) => {
      clearTimeout(timer);
      this.end({ ...(child.exitCode ? { code: child.exitCode } : {}), ...(failure ? { failure } : {}) });
    };
    child.once("error", (error) => ended(describe(error)));
    child.once("close", () => ended());
    child.once("exit", () => later(lastWordsMs, ended)); // something that it has left behind may hold its output open
  }

  private asked(request: http.IncomingMessage, response: http.ServerResponse): void {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      if ((size += chunk.length) <= maxBody) chunks.push(chunk);
    });
    request.on("end", () => {
      if (request.method !== "POST" || size > maxBody) {
        response.writeHead(404).end();
        return;
      }
      const n = ++this.requests;
      this.open.set(n, response);
      this.news.push({ type: "tried", id: this.wanted.id, request: n, body: Buffer.concat(chunks).toString() });
      this.tell();
    });
  }

  private tell(): void {
    const { hear } = this;
    if (!hear || this.news.length === 0) return;
    this.hear = undefined;
    hear(this.news.shift()!);
  }

  private end(how: Pick<Tried, "code" | "failure">): void {
    if (this.over) return;
    const [out, errors] = this.said;
    const tried: Tried = { type: "tried", id: this.wanted.id, ended: true, said: errors!.trim() || out!.trim(), ...(this.late ? { late: true } : {}), ...how };
    try {
      this.clear();
    } catch (error) {
      tried.failure ??= `${this.folder} is left behind: ${describe(error)}`;
    }
    this.news.splice(0, this.news.length, tried);
    this.tell();
  }

  private kill(): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { windowsHide: true });
      else process.kill(-pid, "SIGKILL");
    } catch {
      // it has ended
    }
  }

  private readonly clear = (): void => {
    if (this.over) return;
    this.over = true;
    this.kill();
    process.removeListener("exit", this.clear);
    for (const [name, leave] of this.watched) process.removeListener(name, leave);
    this.server.closeAllConnections();
    this.server.close();
    if (this.folder) fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
}
