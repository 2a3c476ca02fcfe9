// The adapter for OpenCode V1: one instance for each directory, hooks in, the
// host's client out.

import type { Hooks, PluginInput, ToolDefinition } from "@opencode-ai/plugin";
import { Advisor, type Deps } from "../advisor.ts";
import type { Host } from "../errands.ts";
import { addBounded, setBounded } from "../bounded.ts";
import { describe } from "../text.ts";
import { later } from "../timers.ts";
import type { Change, Deliver, Facts, FactsWanted, Generate, Generated, History, Notice, Provider, Receipt } from "../protocol.gen.ts";
import { callerOf, commands, consultDescription, consultInput, questionOf } from "./consult.ts";
import { boundAsk, boundInput } from "./input.ts";
import { aside, type Json, list, number, object, string, strings, within } from "./json.ts";
import { type SessionEvent, V1Session } from "./v1-events.ts";
import { isCopied, looksForked, originOf } from "./v1-fork.ts";
import { readMessages } from "./v1-history.ts";
import { listModels, readProviders } from "./v1-provider.ts";

export type V1Client = PluginInput["client"];

/** Hooks of a session that wait for its facts. */
const maxWaiting = 1_000;
const lookupMs = 5_000;
/** One that a permission ask waits for. */
const aboutMs = 1_000;
/** Tool calls under way, whose input is what a permission ask is about. */
const maxInputs = 256;
/** Children of children; agents do not nest deeper. */
const maxLevels = 8;
/** The events of asks that were rejected together with one of ours come within this. */
const cascadeMs = 500;
/** Sessions, deliveries and asks that are remembered. A session that is forgotten is met anew when it speaks. */
const maxRemembered = 2_000;

/** A permission ask: being judged, left to the person, or answered by us. */
interface Asked {
  session: string;
  /** What we answered, unless the host has refused it: it may arrive long after we stopped to wait for the host. */
  ours?: string | undefined;
  /** Our answer is on its way, and this was heard meanwhile. */
  answering: boolean;
  heard?: string;
}

interface Watched {
  session: V1Session;
  parent?: string;
  title?: string;
  /** When the session was made, and what it was forked from. */
  born?: number;
  origin?: string;
  complete: boolean;
  announced: boolean;
  /** Set while the session's facts are being asked for. */
  waiting: (() => void)[] | undefined;
  /** Delivered, and not yet in front of the model. */
  unseen: string[];
}

export class V1Host implements Host {
  readonly advisor: Advisor;
  readonly hooks: Hooks;
  private readonly sessions = new Map<string, Watched>();
  private readonly own = new Set<string>(); // sessions of generate
  private readonly delivered = new Set<string>();
  private readonly asks = new Map<string, Asked>(); // by the host's id
  private readonly rejecting = new Map<string, number>(); // by session: denials of ours on their way
  private readonly inputs = new Map<string, unknown>(); // of tool calls under way
  private config: Json = {};
  private started = false;

  constructor(
    private readonly client: V1Client,
    deps: Deps,
    options: Record<string, unknown> = {},
  ) {
    this.advisor = new Advisor(this, deps);
    this.hooks = this.makeHooks(object(options["consult"])["enabled"] !== false);
  }

  start(): void {
    this.started = true;
    setImmediate(() => this.advisor.start()); // the hooks are returned first
  }

  async close(): Promise<void> {
    this.started = false;
    await this.advisor.close();
  }

  private makeHooks(consult: boolean): Hooks {
    // No failure in here is the host's, and none of these makes it wait but the last two.
    const safely = (act: () => void): Promise<void> => {
      try {
        if (this.started) act();
      } catch {
        // A shape that nobody has seen yet: not for us.
      }
      return Promise.resolve();
    };
    return {
      event: ({ event }) => safely(() => this.event(event as { type: string; properties: unknown })),
      "chat.message": (_, output) => safely(() => this.message(output.message as unknown as Json, output.parts)),
      config: (config) => safely(() => this.configured(config as unknown as Json)),
      dispose: () => this.close().catch(() => {}),
      "tool.execute.before": (input, output) =>
        safely(() => {
          if (this.advisor.ready?.judge) setBounded(this.inputs, input.callID, output.args, maxInputs);
        }),
      "tool.execute.after": (input) => safely(() => void this.inputs.delete(input.callID)),
      // What it throws would be the end of the person's message.
      "command.execute.before": (input, output) => this.command(input, output).catch(() => {}),
      ...(consult ? { tool: { consult_advisor: this.consultTool() } } : {}),
    } satisfies Hooks;
  }

  private configured(config: Json): void {
    this.config = object(config);
    const known = object(config["command"]);
    const ours = commands.map(({ name, description }) => [name, { template: "$ARGUMENTS", description }] as const);
    config["command"] = { ...Object.fromEntries(ours), ...known };
  }

  private event({ type, properties }: { type: string; properties: unknown }): void {
    const about = object(properties);
    const info = object(about["info"]);
    const id = string(about["sessionID"]) ?? string(info["sessionID"]) ?? string(object(about["part"])["sessionID"]) ?? string(info["id"]);
    if (id === undefined || this.own.has(id)) return;
    if (type === "permission.asked" || type === "permission.replied") {
      this.permission(type, id, about); // a child's as well
      return;
    }
    if (!this.advisor.wants(id) || !concerned.has(type)) return;
    if (type === "session.created") {
      this.created(id, info);
      return;
    }
    this.noteCopy(id, type, info);
    this.within(id, (watched) => {
      const { session } = watched;
      const stepStarts = type === "message.part.updated" && object(about["part"])["type"] === "step-start";
      if (stepStarts) this.seen(watched);
      for (const event of session.take(type, about)) this.send(watched, event);
      if (type === "session.deleted") this.sessions.delete(id);
    });
  }

  private message(info: Json, parts: readonly unknown[]): void {
    const id = string(info["sessionID"]);
    if (id === undefined || this.own.has(id) || !this.advisor.wants(id)) return;
    // The host may change its objects after the hook: what waits gets a copy.
    const copy = this.sessions.get(id)?.waiting === undefined && this.sessions.has(id) ? parts : structuredClone(parts);
    this.within(id, (watched) => {
      for (const event of watched.session.message(info, copy)) this.send(watched, event);
    });
  }

  /** Runs act on a session's record, at once or when its facts have come. */
  private within(id: string, act: (watched: Watched) => void): void {
    const watched = this.sessions.get(id) ?? this.meet(id);
    if (watched.waiting === undefined) act(watched);
    else if (watched.waiting.length < maxWaiting) watched.waiting.push(() => act(watched));
    else watched.complete = false; // the history has it
  }

  /** The first copied message of a session that was not announced yet: it is a fork, and its origin is looked for. */
  private noteCopy(id: string, type: string, info: Json): void {
    const watched = this.sessions.get(id);
    if (type !== "message.updated" || !watched || watched.announced || watched.waiting || !isCopied(info, watched.born)) return;
    watched.complete = false;
    this.pause(watched, () => this.findOrigin(watched));
  }

  /** Lets what is heard of a session wait until look has ended. */
  private pause(watched: Watched, look: () => Promise<void>): void {
    watched.waiting = [];
    aside(async () => {
      await within(lookupMs, look);
      const waiting = watched.waiting ?? [];
      watched.waiting = undefined;
      for (const act of waiting) aside(async () => act());
    });
  }

  private async findOrigin(watched: Watched): Promise<void> {
    const { session, title, born } = watched;
    if (born === undefined) return;
    const origin = await originOf(this.client, session.id, title, born);
    if (origin !== undefined) watched.origin = origin;
  }

  /** A session that begins, though something of it may have been heard before: what was learned then stays. */
  private created(id: string, info: Json): void {
    const known = this.sessions.get(id);
    const watched = known ?? this.watch(id);
    const { parent } = watched;
    learn(watched, info);
    if (watched.parent !== parent) watched.announced = false; // a child after all
    // What is copied into a fork is still to come, or the history has it.
    if (!watched.announced) watched.complete = known === undefined || !looksForked(watched.title);
  }

  /** A session whose beginning was not heard. */
  private meet(id: string): Watched {
    const watched = this.watch(id);
    this.pause(watched, async () => {
      const found = await this.client.session.get({ path: { id } });
      learn(watched, object(found.data));
      if (looksForked(watched.title)) await this.findOrigin(watched);
    });
    return watched;
  }

  private watch(id: string): Watched {
    const watched: Watched = { session: new V1Session(id), complete: false, announced: false, waiting: undefined, unseen: [] };
    setBounded(this.sessions, id, watched, maxRemembered);
    return watched;
  }

  private send(watched: Watched, event: SessionEvent): void {
    // Of a guest that was switched on later nothing was seen before.
    const again = watched.announced && this.advisor.wants(event.session) && !this.advisor.knows(event.session);
    if (again) watched.complete = false;
    if (!watched.announced || again) {
      watched.announced = true;
      const { session, parent, title, born, origin, complete } = watched;
      this.advisor.announce({
        type: "session",
        session: session.id,
        ...(parent ? { parent } : {}),
        ...(title ? { title } : {}),
        ...(born === undefined ? {} : { born }),
        ...(origin ? { origin } : {}),
        complete,
      });
    }
    this.advisor.send(event);
  }

  private seen(watched: Watched): void {
    for (const id of watched.unseen.splice(0)) this.send(watched, { type: "receipt", session: watched.session.id, id, state: "seen" });
  }

  async deliver(effect: Deliver): Promise<Pick<Receipt, "state" | "woke" | "detail">> {
    const watched = this.sessions.get(effect.session);
    if (!watched) return { state: "refused", detail: "the session is not known" };
    // A message would make the host throw away what the person may still want back.
    if (watched.session.reverted !== undefined) return { state: "refused", detail: "the person has gone back in this session" };
    if (this.delivered.has(effect.id)) return { state: "admitted" };
    // V1 takes a stored message as a reason for one more step: a silent one is sent again when the turn has ended.
    if (!effect.wake && watched.session.busy) return { state: "held", detail: "the session is busy" };
    addBounded(this.delivered, effect.id, maxRemembered);
    await this.put(watched, effect);
    return { state: "admitted", ...(effect.wake ? { woke: true } : {}) };
  }

  private async put(watched: Watched, effect: Deliver): Promise<void> {
    const { agent, model } = watched.session;
    const request = {
      path: { id: effect.session },
      body: {
        ...(agent ? { agent } : {}),
        ...(model ? { model } : {}),
        parts: [
          {
            type: "text" as const,
            text: effect.text,
            synthetic: true,
            metadata: { advisor: true, severity: effect.severity, id: effect.id, ...(effect.notes?.length ? { notes: effect.notes } : {}) },
          },
        ],
      },
    };
    const result = effect.wake
      ? await this.client.session.promptAsync(request)
      : await this.client.session.prompt({ ...request, body: { ...request.body, noReply: true } });
    if (result.error) throw new Error(failureOf(result.error));
    watched.unseen.push(effect.id);
    if (effect.toast) await this.toast(effect.severity === "blocker" ? "error" : "warning", effect.description);
  }

  async notice(notice: Notice): Promise<void> {
    const variant = notice.variant === "error" || notice.variant === "info" ? notice.variant : "warning";
    const level = variant === "warning" ? "warn" : variant;
    await Promise.allSettled([
      this.toast(variant, notice.text),
      this.client.app.log({ body: { service: "opencode-superadvisor", level, message: notice.text } }),
    ]);
  }

  private async toast(variant: "info" | "warning" | "error", message: string): Promise<void> {
    await within(lookupMs, () => this.client.tui.showToast({ body: { title: "advisor", message, variant } }));
  }

  async history(session: string): Promise<History> {
    const result = await this.client.session.messages({ path: { id: session } });
    if (result.error) throw new Error(failureOf(result.error));
    return { type: "history", session, events: readMessages(session, result.data) };
  }

  async signals(): Promise<{ changes?: Change[] }> {
    const { data } = await this.client.file.status();
    const changes = list(data).map((item): Change => {
      const file = object(item);
      return { path: string(file["path"]) ?? "", status: string(file["status"]) ?? "", added: number(file["added"]) ?? 0, removed: number(file["removed"]) ?? 0 };
    });
    return { changes: changes.filter((change) => change.path !== "") };
  }

  providers(ids: string[]): Promise<Provider[]> {
    return readProviders(this.client, object(this.config["provider"]), ids);
  }

  /** A session of its own, without tools, that is removed afterwards. */
  async generate(effect: Generate, signal: AbortSignal): Promise<Pick<Generated, "text" | "failure" | "detail">> {
    const created = await this.client.session.create({ body: { title: "advisor", ...(effect.session ? { parentID: effect.session } : {}) } });
    const id = created.data?.id;
    if (!id) return { failure: "failed", detail: failureOf(created.error) };
    addBounded(this.own, id, maxRemembered);
    const remove = () => within(lookupMs, () => this.client.session.delete({ path: { id } }));
    if (signal.aborted) {
      await remove(); // taken back meanwhile: nobody waits for an answer that costs money
      return { failure: "cancelled" };
    }
    const stop = () => void within(lookupMs, () => this.client.session.abort({ path: { id } }));
    signal.addEventListener("abort", stop, { once: true });
    try {
      const result = await this.client.session.prompt({
        path: { id },
        body: {
          ...(effect.provider && effect.model ? { model: { providerID: effect.provider, modelID: effect.model } } : {}),
          ...(effect.effort ? { variant: effect.effort } : {}), // what the model has no variant of is left out by V1
          ...(effect.system ? { system: effect.system } : {}),
          tools: { "*": false },
          parts: [{ type: "text", text: effect.prompt }],
        },
      });
      if (result.error) return { failure: "failed", detail: failureOf(result.error) };
      if (result.data.info.error) return { failure: "failed", detail: failureOf(result.data.info.error) };
      return { text: result.data.parts.map((part) => (part.type === "text" ? part.text : "")).join("") };
    } finally {
      signal.removeEventListener("abort", stop);
      await remove();
    }
  }

  private consultTool(): ToolDefinition {
    // V1 takes plain JSON Schema for an argument as well as zod; its types name zod alone. All are required then.
    return {
      description: consultDescription,
      args: consultInput.properties,
      execute: async (args: unknown, call: unknown) => {
        const { session, signal } = callerOf(call);
        const answer = await this.advisor.consult({ session, call: this.advisor.callID(), ...questionOf(args) }, signal);
        return answer.text;
      },
    } as unknown as ToolDefinition;
  }

  /** V1 calls the model after every command, so that the answer is put before it with the word to leave it at that. */
  private async command(input: { command: string; sessionID: string; arguments: string }, output: { parts: unknown[] }): Promise<void> {
    if (!this.started || !commands.some(({ name }) => name === input.command)) return;
    const models = await listModels(this.client);
    const asked = { name: input.command, text: string(input.arguments) ?? "", session: string(input.sessionID) ?? "" };
    const answer = await this.advisor.command({ ...asked, call: this.advisor.callID(), models });
    const text = `The person ran /${input.command} of the advisor plugin, which answered:\n\n${answer.text}\n\nRepeat the answer to the person as it is. Do nothing else.`;
    const first = object(list(output.parts)[0]);
    output.parts.splice(0, output.parts.length, { ...first, type: "text", text, synthetic: true, metadata: { advisor: true, command: true } });
  }

  private permission(type: string, session: string, about: Json): void {
    const id = string(about["id"]) ?? string(about["requestID"]) ?? string(about["permissionID"]);
    if (!id || !this.advisor.ready?.judge) return;
    if (type === "permission.asked") {
      setBounded(this.asks, id, { session, answering: false }, maxRemembered);
      aside(() => this.judge(id, session, about));
      return;
    }
    const ask = this.asks.get(id);
    if (!ask) return;
    const reply = string(about["reply"]) ?? string(about["response"]) ?? "";
    if (ask.answering) ask.heard = reply;
    else this.settle(id, ask, reply);
  }

  /** An ask has its answer. What is not ours to the letter is the person's. */
  private settle(id: string, { session, ours }: Asked, reply: string): void {
    this.asks.delete(id);
    const allowed = reply !== "reject";
    if (reply === ours) {
      if (!allowed) this.reject(session)();
      return;
    }
    // V1 rejects every open ask of a session with the first one: not the person's word when that was ours.
    if (allowed || !this.rejecting.has(session)) this.advisor.decided({ session, call: id, allowed });
  }

  /** The ask stays on the screen, and the person may be faster. */
  private async judge(id: string, session: string, about: Json): Promise<void> {
    const started = Date.now();
    const call = string(object(about["tool"])["callID"]);
    const input = call === undefined ? undefined : this.inputs.get(call);
    const { value: metadata, cut } = boundAsk({ ...object(about["metadata"]), ...object(input) });
    const agent = this.sessions.get(session)?.session.agent;
    const top = await this.topOf(session);
    const decision = await this.advisor.permission(
      {
        session,
        ...(top === session ? {} : { top }),
        call: id,
        ...(agent ? { agent } : {}),
        action: string(about["permission"]) ?? string(about["type"]) ?? "",
        resources: strings(about["patterns"] ?? about["pattern"]),
        metadata,
        source: boundInput(about["tool"]),
        ...(cut ? { cut } : {}),
      },
      started,
    );
    const ask = this.asks.get(id);
    if (!ask || (decision.effect !== "allow" && decision.effect !== "deny")) return;
    const { effect, message = "" } = decision;
    ask.ours = effect === "allow" ? "once" : "reject";
    ask.answering = true;
    const rejected = effect === "deny" ? this.reject(session) : undefined;
    const refused = await this.answer(id, session, ask.ours === "once" ? { reply: "once" } : { reply: "reject", message });
    rejected?.();
    ask.answering = false;
    if (refused) ask.ours = undefined; // the dialog stands, or the person was faster
    if (ask.heard !== undefined) this.settle(id, ask, ask.heard);
  }

  /**
   * Answers an ask. The newer route takes the reason, which the agent then reads; without one a denial ends its turn. True when
   * the host has said no to both: of one that says nothing in time nobody knows.
   */
  private async answer(id: string, session: string, body: { reply: "once" | "reject"; message?: string }): Promise<boolean> {
    const { _client: raw } = this.client as unknown as { _client?: { post?(options: object): Promise<{ error?: unknown } | undefined> } };
    const headers = { "Content-Type": "application/json" };
    const newer = { url: "/permission/{requestID}/reply", path: { requestID: id }, body, headers };
    const first = raw?.post ? await within(lookupMs, () => raw.post!(newer)) : { error: "there is no such route" };
    if (first && !first.error) return false;
    const older = { path: { id: session, permissionID: id }, body: { response: body.reply } };
    const second = await within(lookupMs, () => this.client.postSessionIdPermissionsPermissionId(older));
    return first !== undefined && Boolean(second?.error);
  }

  /** A denial of ours begins. Gives what ends it, a moment later: what V1 rejects with it is heard by then. */
  private reject(session: string): () => void {
    this.rejecting.set(session, (this.rejecting.get(session) ?? 0) + 1);
    return () =>
      void later(cascadeMs, () => {
        const left = (this.rejecting.get(session) ?? 1) - 1;
        if (left > 0) this.rejecting.set(session, left);
        else this.rejecting.delete(session);
      });
  }

  /** The session that the person talks to: above a child, as far up as is known. */
  private async topOf(id: string): Promise<string> {
    let top = id;
    for (let level = 0; level < maxLevels; level++) {
      const known = this.sessions.get(top);
      const parent = known && known.waiting === undefined ? known.parent : await this.parentOf(top);
      if (!parent) break;
      top = parent;
    }
    return top;
  }

  private async parentOf(id: string): Promise<string | undefined> {
    const found = await within(aboutMs, () => this.client.session.get({ path: { id } }));
    return string(object(object(found)["data"])["parentID"]);
  }

  async facts(wanted: FactsWanted): Promise<Omit<Facts, "type" | "id">> {
    if (!wanted.agent) return {}; // V1 tells a plugin of no worktrees
    const agents = await within(aboutMs, () => this.client.app.agents());
    const found = list(agents?.data).find((item) => object(item)["name"] === wanted.agent);
    if (!found) return {};
    const { prompt, ...agentInfo } = object(found);
    return { agentInfo: boundInput(agentInfo), ...(string(prompt) ? { agentPrompt: string(prompt)! } : {}) };
  }
}

function learn(watched: Watched, info: Json): void {
  const parent = string(info["parentID"]);
  const title = string(info["title"]);
  const born = number(object(info["time"])["created"]);
  if (parent) watched.parent = parent;
  if (title) watched.title = title;
  if (born !== undefined) watched.born = watched.session.born = born;
}

const concerned = new Set([
  "session.created",
  "session.updated",
  "session.deleted",
  "session.status",
  "session.idle",
  "session.error",
  "session.compacted",
  "message.updated",
  "message.part.updated",
]);

function failureOf(error: unknown): string {
  const about = object(error);
  return string(object(about["data"])["message"]) ?? string(about["message"]) ?? string(about["name"]) ?? describe(error ?? "no answer");
}
