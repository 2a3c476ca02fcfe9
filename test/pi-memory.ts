// A pi in memory, as far as its extensions see it: it queues, appends and runs as 0.73 does.

import type { PiApi, PiContext, PiMessage, PiModel, PiRegistry } from "../host/pi/types.ts";

export interface Sent {
  message: PiMessage;
  options: { deliverAs?: string; triggerTurn?: boolean };
}

type Tool = { name: string; execute(id: string, args: unknown, signal?: AbortSignal, onUpdate?: (partial: object) => void): Promise<{ content: { text: string }[]; details: object }> } & Record<string, unknown>;

export class Pi {
  readonly sent: Sent[] = [];
  readonly renderers = new Map<string, (message: unknown, options: unknown, theme: unknown) => { render(width: number): string[] }>();
  readonly notified: { text: string; level: string }[] = [];
  readonly statuses: (string | undefined)[] = [];
  readonly tools = new Map<string, Tool>();
  readonly commands = new Map<string, { handler(args: string, ctx: PiContext): Promise<void>; getArgumentCompletions(prefix: string): { value: string }[] | null }>();
  /** What pi was asked to choose from, and what is chosen next. */
  readonly asked: { title: string; options: string[] }[] = [];
  readonly choices: (string | undefined)[] = [];
  active: string[] = ["read", "bash", "edit", "write"];
  idle = true;
  over = false;
  hasUI = true;
  mode: string | undefined = "rpc";
  branch: unknown[] = [];
  header: { timestamp?: string; parentSession?: string } | null = null;
  models: PiModel[] = [];
  model: PiModel | undefined;
  registry: Partial<PiRegistry> = {};
  refuse = false;
  private readonly handlers = new Map<string, ((event: unknown, ctx: PiContext) => unknown)[]>();

  constructor(
    readonly session = "s",
    readonly cwd = "/project",
  ) {}

  readonly api: PiApi = {
    on: (name, handler) => void this.handlers.set(name, [...(this.handlers.get(name) ?? []), handler]),
    registerTool: (tool) => {
      const { name } = tool as Tool;
      this.tools.set(name, tool as Tool);
      this.active.push(name); // pi makes a new tool active at once
    },
    registerMessageRenderer: (type, render) => void this.renderers.set(type, render as never),
    registerCommand: (name, command) => void this.commands.set(name, command as never),
    sendMessage: (message, options = {}) => {
      if (this.over || this.refuse) throw new Error("the session is over");
      this.sent.push({ message, options: options as Sent["options"] });
      if (this.idle && options.triggerTurn) this.idle = false;
    },
    getActiveTools: () => [...this.active],
    setActiveTools: (names) => void (this.active = names),
  };

  get ctx(): PiContext {
    const pi = this;
    const live = <T>(value: T): T => {
      if (pi.over) throw new Error("This extension instance is stale after session replacement or reload.");
      return value;
    };
    return {
      get hasUI() {
        return live(pi.hasUI);
      },
      get cwd() {
        return live(pi.cwd);
      },
      ...(pi.mode === undefined ? {} : { mode: pi.mode }),
      get ui() {
        return live({
          notify: (text: string, level = "info") => void pi.notified.push({ text, level }),
          setStatus: (_: string, text: string | undefined) => void pi.statuses.push(text),
          select: async (title: string, options: string[]) => {
            pi.asked.push({ title, options });
            return pi.choices.shift();
          },
        });
      },
      get sessionManager() {
        return live({ getSessionId: () => pi.session, getBranch: () => pi.branch, getSessionName: () => undefined, getHeader: () => pi.header });
      },
      get modelRegistry() {
        return live({
          find: (provider: string, id: string) => pi.models.find((model) => model.provider === provider && model.id === id),
          getAll: () => pi.models,
          getAvailable: () => pi.models,
          getApiKeyAndHeaders: async () => ({ ok: true, apiKey: "sk-pi" }),
          ...pi.registry,
        });
      },
      get model() {
        return live(pi.model);
      },
      isIdle: () => live(pi.idle),
    };
  }

  /** Tells the extensions of an event; gives back what the last of them returned. */
  async emit(name: string, event: object = {}): Promise<unknown> {
    return this.raw(name, { type: name, ...event });
  }

  /** The same for an event that may be anything. */
  async raw(name: string, event: unknown): Promise<unknown> {
    let returned: unknown;
    for (const handler of this.handlers.get(name) ?? []) returned = (await handler(event, this.ctx)) ?? returned;
    return returned;
  }

  async end(reason = "quit"): Promise<void> {
    await this.emit("session_shutdown", { reason });
    this.over = true;
  }
}

let clock = 1_000;

export const user = (text: string) => ({ message: { role: "user", content: [{ type: "text", text }], timestamp: ++clock } });

export const assistant = (text: string, stopReason = "stop") => ({ message: { role: "assistant", content: text ? [{ type: "text", text }] : [], stopReason, timestamp: ++clock } });
