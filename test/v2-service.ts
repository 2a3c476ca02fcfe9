// An OpenCode V2 service in memory, which keeps the rules that the adapter rests on:
// every instance hears every session; a plugin is loaded at its location's first
// use and has missed what came before; durable events are numbered; an id is
// admitted once; steers are taken in one batch at a step's boundary; what is
// admitted with resume: false wakes nobody and waits in front of the next input.

import type { Admission, V2Context } from "../host/opencode/v2-types.ts";

export interface Step {
  text?: string;
  tools?: { name: string; input: object; output: string; structured?: object; failed?: boolean }[];
  /** Runs while the step does, before it ends. */
  during?: () => Promise<void> | void;
}

interface Row {
  id: string;
  type: "user" | "synthetic";
  text: string;
  metadata?: Record<string, unknown>;
  description?: string;
}

interface Session {
  id: string;
  directory: string;
  parentID?: string;
  seq: number;
  admitted: Map<string, Row>;
  inbox: Row[];
  context: object[];
  running: boolean;
  turn: Promise<void>;
}

let services = 0;

type Setup = (context: V2Context) => (() => Promise<void>) | undefined;

export class V2Service {
  /** What the model of a session does next; without an entry it says "Done.". */
  readonly script: Step[][] = [];
  readonly refuse = new Set<"synthetic" | "prompt" | "context" | "get">();
  /** Calls of the session's methods by plugins. */
  readonly calls: { method: string; input: Admission }[] = [];
  readonly registered: Record<string, { name?: string; execute?: (...args: unknown[]) => Promise<unknown> }[]> = { tool: [], command: [] };
  /** Model calls by plugins. */
  generated = 0;
  judge: ((event: object) => Promise<void>) | undefined;
  spelling: "beta" | "2.0" = "beta";
  /** The last event is sent as JSON text. */
  asText = false;
  private readonly sessions = new Map<string, Session>();
  private readonly instances = new Map<string, { push(event: unknown): void; cleanup: (() => Promise<void>) | undefined }[]>();
  private ids = 0;
  private readonly mark = (services++).toString(36); // ids are never those of another service

  constructor(
    private readonly setups: Setup[],
    private readonly options: Record<string, unknown> = {},
  ) {}

  create(directory: string, parentID?: string): string {
    const id = `ses_${this.mark}_${++this.ids}`;
    const session: Session = { id, directory, seq: 0, admitted: new Map(), inbox: [], context: [], running: false, turn: Promise.resolve(), ...(parentID ? { parentID } : {}) };
    this.sessions.set(id, session);
    this.emit(session, "session.created", { info: { id, directory, parentID, title: "New" } }, true);
    return id;
  }

  /** A fork: it has no parent, and its first event says where its messages were copied from. */
  fork(from: string): string {
    const origin = this.sessions.get(from)!;
    const id = `ses_${this.mark}_${++this.ids}`;
    const session: Session = { id, directory: origin.directory, seq: 0, admitted: new Map(), inbox: [], context: structuredClone(origin.context), running: false, turn: Promise.resolve() };
    this.sessions.set(id, session);
    this.emit(session, "session.forked", { parentID: from, boundary: { type: "after", messageID: "msg_0" } }, true);
    return id;
  }

  /** The person takes a session elsewhere. */
  async move(id: string, directory: string): Promise<void> {
    this.sessions.get(id)!.directory = directory;
    this.emit(id, "session.moved", {}, true);
    await breath();
  }

  /** A person types. Loads the location's plugins when nobody did before, after the input is admitted. */
  async type(id: string, text: string, metadata?: Record<string, unknown>): Promise<void> {
    const session = this.sessions.get(id)!;
    this.admit(session, { type: "user", text, ...(metadata ? { metadata } : {}) }, true);
    const turn = this.wake(session, () => this.load(session.directory));
    await turn;
  }

  /** Waits until the session is idle, with what a plugin may have started meanwhile. */
  async idle(id: string): Promise<void> {
    const session = this.sessions.get(id)!;
    while (session.running) await session.turn;
  }

  /** Loads the plugins of a location without using it. */
  load(directory: string): void {
    if (this.instances.has(directory)) return;
    this.instances.set(directory, []);
    for (const setup of this.setups) this.instance(directory, setup);
  }

  /** Sets up one more instance for a location, as a reload does before it closes the old one. */
  instance(directory: string, setup: Setup): { unload(): Promise<void> } {
    const queue: unknown[] = [];
    let wake = () => {};
    const entry = {
      push: (event: unknown) => {
        queue.push(event);
        wake();
      },
      cleanup: undefined as (() => Promise<void>) | undefined,
    };
    const all = this.instances.get(directory) ?? [];
    this.instances.set(directory, all);
    all.push(entry);
    const service = this;
    async function* subscribe(options?: { signal?: AbortSignal }): AsyncGenerator<unknown> {
      options?.signal?.addEventListener("abort", () => wake());
      for (;;) {
        while (queue.length > 0) yield queue.shift();
        if (options?.signal?.aborted) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    const register = (kind: string) => ({
      transform: async (change: (editor: { add(definition: object): void }) => void) => {
        change({ add: (definition) => void service.registered[kind]!.push(definition) });
        return { dispose: () => void service.registered[kind]!.splice(0) };
      },
    });
    entry.cleanup = setup({
      app: { version: "2.0.0" },
      location: { directory },
      options: this.options,
      event: { subscribe },
      session: {
        get: async ({ sessionID }) => this.got("get", this.sessions.get(sessionID), (session) => ({ data: { id: session.id, parentID: session.parentID, location: { directory: session.directory }, title: "New" } })),
        context: async ({ sessionID }) => this.got("context", this.sessions.get(sessionID), (session) => ({ data: structuredClone(session.context) })),
        synthetic: async (input) => this.fromPlugin("synthetic", input),
        prompt: async (input) => this.fromPlugin("prompt", input),
      },
      tool: register("tool"),
      command: register("command"),
      permission: {
        hook: async (_, judge) => {
          this.judge = judge as (event: object) => Promise<void>;
          return { dispose: () => void (this.judge = undefined) };
        },
      },
      generate: {
        text: async ({ prompt, model }) => {
          this.generated++;
          if (model?.variant === "max") throw new Error("Unknown variant max of the model");
          return { data: { text: `generated for ${prompt}${model?.variant ? ` (${model.variant})` : ""}` } };
        },
      },
      model: { list: async () => ({ data: [{ providerID: "p", id: "m" }, { providerID: "p" }] }) },
    });
    return {
      unload: async () => {
        all.splice(all.indexOf(entry), 1);
        await entry.cleanup?.();
      },
    };
  }

  async close(): Promise<void> {
    for (const all of this.instances.values()) for (const { cleanup } of all) await cleanup?.();
  }

  contextOf(id: string): object[] {
    return this.sessions.get(id)!.context;
  }

  /** Something durable happens that no plugin hears of. */
  lose(id: string): void {
    this.sessions.get(id)!.seq++;
  }

  emit(session: Session | string, type: string, data: object, located: boolean): void {
    const of = typeof session === "string" ? this.sessions.get(session)! : session;
    const event = {
      id: `evt_${++this.ids}`,
      created: 1_700_000_000_000,
      type,
      ...(located ? { location: { directory: of.directory } } : {}),
      durable: { aggregateID: of.id, seq: of.seq++, version: 1 },
      data: { sessionID: of.id, ...data },
    };
    for (const all of this.instances.values()) for (const { push } of all) push(this.asText ? JSON.stringify(event) : structuredClone(event));
  }

  private got<T>(method: "get" | "context", session: Session | undefined, give: (session: Session) => T): T {
    if (this.refuse.has(method) || !session) throw new Error(`SessionNotFoundError: ${method}`);
    return give(session);
  }

  private fromPlugin(method: "synthetic" | "prompt", input: Admission): object {
    this.calls.push({ method, input: structuredClone(input) });
    const session = this.sessions.get(input.sessionID);
    if (this.refuse.has(method) || !session) throw new Error(`refused ${method}`);
    const { id, text, metadata, description } = input;
    const row = this.admit(session, { type: method === "prompt" ? "user" : "synthetic", text, ...(id ? { id } : {}), ...(metadata ? { metadata } : {}), ...(description ? { description } : {}) }, false);
    if (input.resume !== false) void this.wake(session);
    return { data: { id: row.id, sessionID: session.id, type: row.type } };
  }

  private admit(session: Session, input: Omit<Row, "id"> & { id?: string }, located: boolean): Row {
    const known = input.id === undefined ? undefined : session.admitted.get(input.id);
    if (known) return known; // the first admission wins
    const row: Row = { ...input, id: input.id ?? `msg_${this.mark}_${++this.ids}` };
    session.admitted.set(row.id, row);
    session.inbox.push(row);
    const { id, type, ...payload } = row;
    if (this.spelling === "beta") this.emit(session, "session.input.admitted", { inputID: id, input: { type, data: payload, delivery: "steer" } }, located);
    else this.emit(session, "session.inbox.enqueued", { inboxID: id, item: { type, payload, delivery: "steer" } }, located);
    return row;
  }

  private wake(session: Session, before?: () => void): Promise<void> {
    if (session.running) return session.turn;
    session.running = true;
    session.turn = this.run(session, before).finally(() => {
      session.running = false;
    });
    return session.turn;
  }

  private async run(session: Session, before?: () => void): Promise<void> {
    this.emit(session, "session.execution.started", {}, false);
    before?.();
    await breath();
    const steps = this.script.shift() ?? [{ text: "Done." }];
    for (const [i, step] of steps.entries()) {
      for (const row of session.inbox.splice(0)) {
        session.context.push({ ...row, time: { created: 1_700_000_000_000 } });
        if (this.spelling === "beta") this.emit(session, "session.input.promoted", { inputID: row.id }, true);
        else this.emit(session, "session.inbox.delivered", { inboxID: row.id }, true);
      }
      const message = `msg_${this.mark}_${++this.ids}`;
      const own = { assistantMessageID: message };
      this.emit(session, "session.step.started", { ...own, agent: "build", model: { id: "m", providerID: "p" } }, true);
      const content: object[] = [];
      for (const tool of step.tools ?? []) {
        const id = `call_${this.mark}_${++this.ids}`;
        const call = { ...own, ...(this.spelling === "beta" ? { callID: id } : { id }) };
        const details = this.spelling === "beta" ? { structured: tool.structured ?? {} } : { metadata: tool.structured ?? {} };
        this.emit(session, "session.tool.input.started", { ...call, name: tool.name }, true);
        this.emit(session, "session.tool.called", { ...call, input: tool.input }, true);
        await breath();
        const output = [{ type: "text", text: tool.output }];
        if (tool.failed) this.emit(session, "session.tool.failed", { ...call, error: { type: "tool", message: tool.output } }, true);
        else this.emit(session, "session.tool.success", { ...call, ...details, content: output }, true);
        content.push({ type: "tool", id, name: tool.name, state: { status: tool.failed ? "error" : "completed", input: tool.input, content: output, ...details, ...(tool.failed ? { error: { message: tool.output } } : {}) } });
      }
      if (step.text) {
        this.emit(session, "session.text.ended", { ...own, ordinal: 0, text: step.text }, true);
        content.push({ type: "text", text: step.text });
      }
      await step.during?.();
      const finish = i === steps.length - 1 ? "stop" : "tool-calls";
      session.context.push({ id: message, type: "assistant", content, finish, time: { created: 1_700_000_000_000 } });
      this.emit(session, "session.step.ended", { ...own, finish, cost: 0, tokens: { input: 1, output: 1 }, files: [] }, true);
      await breath();
    }
    this.emit(session, "session.execution.succeeded", {}, false);
    await breath();
  }
}

/** Time for the plugins, as a model takes. */
function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
