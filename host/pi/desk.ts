// What pi's agent and its person can ask of us: the advisor tool and the /advisor command.

import type { Advisor } from "../advisor.ts";
import type { Answered } from "../calls.ts";
import { boundAsk } from "../opencode/input.ts";
import { type Json, object, string } from "../opencode/json.ts";
import { commands, consultInput, questionOf, shortDescription, signalOf } from "../opencode/consult.ts";
import { effortsOf, nameOf } from "./models.ts";
import { noteType } from "./events.ts";
import { cutMiddle, visible } from "../text.ts";
import { callRow, noteRow, resultRow } from "./rows.ts";
import type { PiApi, PiContext, PiModel } from "./types.ts";

export const toolName = "advisor";

const snippet = "Ask a stronger model for guidance on the work so far";

const guidelines = [
  "Call advisor before substantive work, and before you build on an assumption that you have not checked.",
  "Before you say that a task is done, make its result durable (saved, written), then let advisor look at it.",
  "Call advisor when you are stuck (the same error comes back, the results do not add up), and when you consider another approach.",
  "Give what advisor says serious weight, and adapt when a step fails in practice or the code itself contradicts a claim of it.",
  "When what you found and what advisor said are in conflict, do not pick one silently: put the conflict to advisor in one more call.",
];

/** What pi's tools that only look are called, and ours. All others are judged. */
const looking: ReadonlySet<string> = new Set(["read", "grep", "find", "ls", toolName]);

/** Of a command, in a question to the person. */
const maxShown = 2_000;

const verbs = ["on", "off", "status", "notes", "why", "mute", "unmute", "watchdog", "consult"];

/** What a command's answer says of the settings now in force. */
export interface Settings {
  consult: boolean;
  model: string;
  effort: string;
}

export class PiDesk {
  private settings: Settings = { consult: false, model: "", effort: "" };
  private registered = false;

  constructor(
    private readonly pi: PiApi,
    private readonly advisor: () => { advisor: Advisor; session: string } | undefined,
  ) {}

  /** Follows the settings: while the tool is off neither it nor its rules are in front of the model. */
  follow(settings: Settings): void {
    this.settings = settings;
    if (settings.consult && !this.registered) {
      this.registered = true;
      this.pi.registerTool(this.tool());
    }
    if (!this.registered) return;
    const active = this.pi.getActiveTools();
    if (active.includes(toolName) === settings.consult) return;
    this.pi.setActiveTools(settings.consult ? [...active, toolName] : active.filter((name) => name !== toolName));
  }

  register(): void {
    this.pi.registerMessageRenderer?.(noteType, noteRow);
    this.pi.registerCommand("advisor", {
      description: "Configure the advisor: a stronger model the agent can consult mid-turn, and a watchdog that reads along",
      getArgumentCompletions: (prefix: string) => {
        const found = verbs.filter((verb) => verb.startsWith(prefix)).map((verb) => ({ value: verb, label: verb }));
        return found.length > 0 ? found : null;
      },
      handler: async (args: unknown, ctx: PiContext) => {
        const text = typeof args === "string" ? args.trim() : "";
        try {
          if (text === "" && inTerminal(ctx)) await this.pick(ctx);
          else await this.run("advisor", text, ctx);
        } catch {
          // The session ended meanwhile.
        }
      },
    });
    const { name, description } = commands[1];
    this.pi.registerCommand(name, {
      description,
      handler: async (args: unknown, ctx: PiContext) => {
        await this.run(name, typeof args === "string" ? args.trim() : "", ctx).catch(() => {}); // the session ended meanwhile
      },
    });
  }

  /** Judges a tool call, which pi waits for. What is not decided is the person's; where there is nobody, it is not done. */
  async judge(event: unknown, ctx: PiContext): Promise<{ block: true; reason: string } | undefined> {
    const found = this.advisor();
    const about = object(event);
    const tool = string(about["toolName"]) ?? "";
    if (!found?.advisor.ready?.judge || looking.has(tool)) return undefined;
    const call = string(about["toolCallId"]) ?? found.advisor.callID();
    try {
      return await this.judged(found, call, tool, object(about["input"]), ctx);
    } catch {
      return { block: true, reason: "The judge failed, and nobody was asked." };
    }
  }

  private async judged(found: { advisor: Advisor; session: string }, call: string, tool: string, input: Json, ctx: PiContext): Promise<{ block: true; reason: string } | undefined> {
    const { value: metadata, cut } = boundAsk(input);
    const decision = await found.advisor.permission({ session: found.session, call, action: tool, metadata, ...(cut ? { cut } : {}) });
    if (decision.effect === "allow" || decision.effect === "none") return undefined;
    const why = decision.message ?? "";
    if (decision.effect === "deny") return { block: true, reason: why };
    if (!ctx.hasUI) return { block: true, reason: `${why} Nobody is there to allow it.`.trim() };
    const { text: what } = cutMiddle(string(input["command"]) ?? string(input["path"]) ?? "", maxShown, (cut) => `\n[${cut} characters are left out here]\n`);
    const allowed = (await ctx.ui.select(visible(`${why}\nAllow ${tool} ${what}?`.trim()), ["Allow", "Deny"])) === "Allow";
    found.advisor.decided({ session: found.session, call, allowed });
    return allowed ? undefined : { block: true, reason: "The person did not allow it." };
  }

  private async run(name: string, text: string, ctx: PiContext): Promise<void> {
    const models = [...new Set(ctx.modelRegistry.getAll().map(nameOf))];
    const found = this.advisor();
    const answer: Answered = found
      ? await found.advisor.command({ session: found.session, call: found.advisor.callID(), name, text, models })
      : { text: "The advisor did not start in this session.", failed: true };
    const now = object(answer.details);
    if (typeof now["consult"] === "boolean") this.follow({ consult: now["consult"], model: string(now["model"]) ?? "", effort: string(now["effort"]) ?? "" });
    if (ctx.hasUI) ctx.ui.notify(answer.text, answer.failed ? "warning" : "info");
  }

  /** Models cheapest first, then the effort. */
  private async pick(ctx: PiContext): Promise<void> {
    const { consult, model: current, effort } = this.settings;
    const models = [...(await ctx.modelRegistry.getAvailable())].sort((a, b) => priceOf(a) - priceOf(b) || nameOf(a).localeCompare(nameOf(b)));
    const rows = models.map((model) => `${nameOf(model)} · $${priceOf(model)}/Mtok out${nameOf(model) === current ? " · current" : ""}`);
    const turn = consult ? "Turn the advisor off" : "Turn the advisor on";
    const picked = await ctx.ui.select("Advisor model", [...rows, turn]);
    if (picked === undefined) return;
    if (picked === turn) return this.run("advisor", consult ? "off" : "on", ctx);
    const model = models[rows.indexOf(picked)];
    if (!model) return;
    const levels = effortsOf(model);
    const level = await ctx.ui.select(`Thinking effort of ${nameOf(model)}${effort ? ` (now ${effort})` : ""}`, levels);
    if (level !== undefined) await this.run("advisor", `${nameOf(model)}#${level}`, ctx);
  }

  private tool(): object {
    return {
      name: toolName,
      label: "Advisor",
      description: shortDescription,
      promptSnippet: snippet,
      promptGuidelines: guidelines,
      executionMode: "sequential", // it is to see the results of the calls before it
      parameters: consultInput,
      execute: async (_id: string, args: unknown, signal: AbortSignal | undefined, onUpdate: ((partial: object) => void) | undefined) => {
        const found = this.advisor();
        const disabled = "The advisor is disabled. Tell the person that /advisor on switches it on, and go on without it.";
        if (!found || !this.settings.consult) return { content: [{ type: "text", text: disabled }], details: {} };
        const { model, effort } = this.settings;
        onUpdate?.({ content: [{ type: "text", text: `asking ${model}${effort ? ` (${effort})` : ""}` }], details: { model, effort } });
        const answer = await found.advisor.consult({ session: found.session, call: found.advisor.callID(), ...questionOf(args) }, signalOf(signal));
        if (answer.failed) throw new Error(answer.text); // pi's way to say that a call failed
        return { content: [{ type: "text", text: answer.text }], details: object(answer.details) };
      },
      renderCall: (_args: unknown, theme: unknown) => callRow(this.settings.consult ? this.settings.model : undefined, theme),
      renderResult: (result: unknown, _options: unknown, theme: unknown) => resultRow(result, theme),
    };
  }
}

function priceOf(model: PiModel): number {
  return model.cost?.output ?? 0;
}

/** pi has a person at a terminal. Until 0.78 it does not say so, and offers dialogs to RPC clients too. */
function inTerminal(ctx: PiContext): boolean {
  return ctx.hasUI && (ctx.mode === undefined ? process.stdin.isTTY === true && process.stdout.isTTY === true : ctx.mode === "tui");
}
