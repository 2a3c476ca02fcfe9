// What V2 can ask of us: the consult tool, our commands, and permission asks. Nothing
// is registered before the guest has read its config.

import { randomBytes } from "node:crypto";
import type { Advisor } from "../advisor.ts";
import { setBounded } from "../bounded.ts";
import type { Facts, FactsWanted, Ready } from "../protocol.gen.ts";
import { callerOf, commands, consultDescription, consultInput, questionOf } from "./consult.ts";
import { boundAsk, boundInput } from "./input.ts";
import { type Json, list, object, string, strings, unwrap, within } from "./json.ts";
import { listModels } from "./v2-provider.ts";
import type { Evaluation, Registration, V2Context } from "./v2-types.ts";

/** The host's own facts, which are local. */
const lookupMs = 1_000;
/** Asks that were left to the person, until the answer is known. */
const maxAsked = 64;

export class V2Desk {
  private readonly registrations: Promise<Registration | undefined>[] = [];
  private readonly asked = new Map<string, { session: string; call: string }>(); // by what was asked
  private readonly requests = new Map<string, { session: string; call: string }>(); // by the host's id
  private closed = false;

  constructor(
    private readonly context: V2Context,
    private readonly advisor: Advisor,
    private readonly say: (session: string, text: string) => Promise<void>,
    /** The session that the person talks to, for a child; undefined for a session of another location. */
    private readonly topOf: (session: string) => Promise<{ top?: string } | undefined>,
  ) {}

  open(ready: Ready): void {
    if (this.closed || !ready.enabled || this.registrations.length > 0) return;
    const { tool, command, permission } = this.context;
    if (ready.consult && tool?.transform) this.register(() => tool.transform!((editor) => editor.add(this.consultTool())));
    if (command?.transform) {
      this.register(() =>
        command.transform!((editor) => {
          for (const { name, description } of commands) editor.add(this.command(name, description));
        }),
      );
    }
    if (ready.judge && permission?.hook) this.register(() => permission.hook!("evaluate", (event) => this.judge(event)));
  }

  async close(): Promise<void> {
    this.closed = true;
    await within(200, async () => {
      for (const registration of await Promise.all(this.registrations.splice(0))) await registration?.dispose?.();
    });
  }

  private register(add: () => Promise<Registration>): void {
    this.registrations.push(
      (async () => add())().catch(() => undefined), // a version that has it differently goes without
    );
  }

  private consultTool(): object {
    return {
      name: "consult_advisor",
      description: consultDescription,
      input: consultInput,
      jsonSchema: consultInput, // the beta's name for it
      options: { codemode: false },
      execute: async (input: unknown, call: unknown) => {
        const { session, signal } = callerOf(call);
        const answer = await this.advisor.consult({ session, call: this.advisor.callID(), ...questionOf(input) }, signal);
        const content = [{ type: "text", text: answer.text }];
        return this.context.catalog && !this.context.provider ? { structured: {}, content } : { content };
      },
    };
  }

  private command(name: string, description: string): object {
    return {
      name,
      description,
      execute: async (input: unknown) => {
        const asked = object(boundInput(input));
        const session = string(asked["sessionID"]) ?? "";
        const text = string(object(asked["prompt"])["text"]) ?? "";
        const models = await listModels(this.context);
        const answer = await this.advisor.command({ session, call: this.advisor.callID(), name, text, models });
        await this.say(session, answer.text).catch(() => {}); // the session may be gone
      },
    };
  }

  /** The host waits for this. A rule's own allow or deny is not ours to change. */
  private async judge(event: Evaluation): Promise<void> {
    const started = Date.now();
    try {
      const [session, action, agent] = [string(event.sessionID), string(event.action), string(event.agent)];
      if (event.effect !== "ask" || !session || !action) return;
      const place = await this.topOf(session);
      if (!place) return; // its own instance judges it
      const call = randomBytes(12).toString("hex");
      const { value: metadata, cut } = boundAsk(event.metadata);
      const decision = await this.advisor.permission(
        {
          session,
          ...place,
          call,
          ...(agent ? { agent } : {}),
          action,
          resources: strings(event.resources),
          ...(metadata === undefined ? {} : { metadata }),
          ...(event.source === undefined ? {} : { source: boundInput(event.source) }),
          ...(cut ? { cut } : {}),
        },
        started,
      );
      if (decision.message) event.message = decision.message;
      if (decision.effect === "allow" || decision.effect === "deny") event.effect = decision.effect;
      else setBounded(this.asked, what(session, action, strings(event.resources)), { session, call }, maxAsked);
    } catch {
      // The ask stands, and the person answers.
    }
  }

  async facts(wanted: FactsWanted): Promise<Omit<Facts, "type" | "id">> {
    const [info, worktrees] = await Promise.all([this.agentInfo(wanted.agent), wanted.worktrees ? this.worktrees() : undefined]);
    const { system, prompt, ...agentInfo } = object(info);
    const agentPrompt = string(system) ?? string(prompt);
    return {
      ...(info === undefined ? {} : { agentInfo: boundInput(agentInfo) }),
      ...(agentPrompt ? { agentPrompt } : {}),
      ...(worktrees === undefined ? {} : { worktrees, worktreesOK: true }),
    };
  }

  /** What the person said to an ask that was left to them. */
  permissionEvent(type: string, data: Json): void {
    if (type.endsWith(".asked")) {
      const key = what(string(data["sessionID"]) ?? "", string(data["action"]) ?? "", strings(data["resources"]));
      const known = this.asked.get(key);
      const id = string(data["id"]);
      if (!known || !id) return;
      this.asked.delete(key);
      setBounded(this.requests, id, known, maxAsked);
    } else if (type.endsWith(".replied")) {
      const id = string(data["requestID"]) ?? string(data["id"]) ?? "";
      const known = this.requests.get(id);
      if (!known) return;
      this.requests.delete(id);
      this.advisor.decided({ ...known, allowed: data["reply"] !== "reject" });
    }
  }

  private async agentInfo(agent: string | undefined): Promise<unknown> {
    if (!agent || !this.context.agent?.get) return undefined;
    return unwrap(await within(lookupMs, () => this.context.agent!.get!({ agentID: agent })));
  }

  private async worktrees(): Promise<string[] | undefined> {
    const projectID = this.context.location?.project?.id;
    if (!projectID || !this.context.worktree?.list) return undefined;
    const found = unwrap(await within(lookupMs, () => this.context.worktree!.list!({ projectID })));
    if (!Array.isArray(found)) return undefined;
    return list(found)
      .map((item) => string(item) ?? string(object(item)["directory"]) ?? string(object(item)["path"]))
      .filter((item) => item !== undefined);
  }
}

function what(session: string, action: string, resources: string[]): string {
  return JSON.stringify([session, action, resources]);
}
