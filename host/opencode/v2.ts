// The adapter for OpenCode V2. A V2 service calls setup once for each location and
// lets every instance hear every session, so each looks at its own location alone.

import { Advisor, type Deps } from "../advisor.ts";
import type { Host } from "../errands.ts";
import { addBounded, setBounded } from "../bounded.ts";
import { cutEnd, describe } from "../text.ts";
import { later } from "../timers.ts";
import type { Change, Deliver, Facts, FactsWanted, Generate, Generated, History, Notice, Provider, Ready, Receipt } from "../protocol.gen.ts";
import { aside, list, number, object, string, unwrap, within } from "./json.ts";
import { V2Desk } from "./v2-desk.ts";
import { concerns, type SessionEvent, V2Session } from "./v2-events.ts";
import { readContext } from "./v2-history.ts";
import { readProvider } from "./v2-provider.ts";
import type { Envelope, V2Context } from "./v2-types.ts";

/** Events of a session that wait for its location. */
const maxWaiting = 1_000;
/** The host's own lookups, which are local. */
const lookupMs = 5_000;
/** One that a permission ask waits for. */
const aboutMs = 1_000;
/** Messages of ours whose delivery is still to be seen. */
const maxOurs = 2_000;
/** Sessions that are followed, other locations' too. One that is forgotten is met anew when it speaks. */
const maxSessions = 2_000;
/** A session whose input stays unknown is read again this often, no more. */
const maxRereads = 2;
/** Children of children; agents do not nest deeper. */
const maxLevels = 8;
const resubscribeMs = 1_000;
/** In a row: a service runs for weeks, and its stream may break now and then. */
const maxResubscribes = 10;

interface Watched {
  session: V2Session;
  /** Undefined while the session's location is being asked for. */
  mine: boolean | undefined;
  waiting: Envelope[];
  parent?: string;
  directory?: string;
  title?: string;
  /** When the session was made, and what it was forked from. */
  born?: number;
  origin?: string;
  announced: boolean;
  rereads: number;
}

/** Whether this is V2's context, and not the reduced one that V1 gives. */
export function isV2(context: V2Context): boolean {
  return typeof context.event?.subscribe === "function" && typeof context.session?.synthetic === "function";
}

/** The beta does not tell a plugin where it is; it is loaded at the location's first use, so the first event does. */
export async function firstLocation(context: V2Context, signal: AbortSignal): Promise<string | undefined> {
  for await (const event of context.event!.subscribe!({ signal })) {
    if (signal.aborted) return undefined;
    const directory = open(event)?.location?.directory;
    if (directory !== undefined) return directory;
  }
  return undefined;
}

export class V2Host implements Host {
  readonly advisor: Advisor;
  private readonly sessions = new Map<string, Watched>();
  private readonly ours = new Set<string>();
  private readonly unsaid: Notice[] = []; // until there is a session to say them in
  private readonly desk: V2Desk;
  private readonly stop = new AbortController();
  private lastSession: string | undefined;

  constructor(
    private readonly context: V2Context,
    private readonly directory: string,
    deps: Deps,
  ) {
    this.advisor = new Advisor(this, deps);
    this.desk = new V2Desk(context, this.advisor, (session, text) => this.say(session, text, { advisor: true, command: true }), (session) => this.topOf(session));
  }

  start(): void {
    aside(() => this.listen());
    setImmediate(() => this.advisor.start()); // setup returns first
  }

  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all([this.desk.close(), this.advisor.close()]);
  }

  /** Hears the host's events until it is closed. */
  private async listen(): Promise<void> {
    for (let tries = 0; tries < maxResubscribes && !this.stop.signal.aborted; tries++) {
      try {
        for await (const event of this.context.event!.subscribe!({ signal: this.stop.signal })) {
          if (this.stop.signal.aborted) return;
          tries = 0;
          this.hear(event);
        }
      } catch {
        // The stream broke. What is missed shows in the sequence numbers.
      }
      if (this.stop.signal.aborted) return;
      await new Promise<void>((resolve) => later(resubscribeMs * 2 ** tries, resolve));
    }
  }

  /** One event. Public for tests; never throws. */
  hear(raw: unknown): void {
    try {
      const envelope = open(raw);
      if (envelope) this.route(envelope);
    } catch {
      // An event of a shape that nobody has seen yet: not for us.
    }
  }

  private route(envelope: Envelope): void {
    const { data } = envelope;
    if (envelope.type === "permission.asked" || envelope.type === "permission.replied" || envelope.type.startsWith("permission.v2.")) {
      this.desk.permissionEvent(envelope.type, data);
      return;
    }
    // What has a number is followed, whatever it says: the numbers tell what was missed.
    if (envelope.durable?.seq === undefined && !concerns(envelope.type)) return;
    const info = object(data["info"]);
    const id = string(data["sessionID"]) ?? string(info["id"]) ?? envelope.durable?.aggregateID;
    if (id === undefined || !this.advisor.wants(id)) return;
    if (envelope.type === "session.moved") {
      this.sessions.delete(id); // away or here: the next event tells anew whose it is
      return;
    }
    const watched = this.sessions.get(id) ?? this.meet(id, envelope);
    if (watched.mine === undefined) {
      if (watched.waiting.length < maxWaiting) watched.waiting.push(envelope);
      else watched.session.hole = true;
    } else if (watched.mine) {
      this.take(watched, envelope);
    } else if (envelope.type === "session.deleted") {
      this.sessions.delete(id);
    }
  }

  /** The first event of a session: whose is it? */
  private meet(id: string, envelope: Envelope): Watched {
    const watched: Watched = {
      session: new V2Session(id, (message) => this.ours.has(message)),
      mine: undefined,
      waiting: [],
      announced: false,
      rereads: 0,
    };
    setBounded(this.sessions, id, watched, maxSessions);
    if (envelope.type === "session.forked") watched.session.hole = true; // its messages were copied
    if (envelope.type === "session.created") {
      this.place(watched, { ...envelope.data, ...object(envelope.data["info"]) }, envelope);
    } else if (envelope.location?.directory !== undefined && envelope.location.directory !== this.directory) {
      watched.mine = false;
    } else {
      aside(async () => {
        const found = object(unwrap(await within(lookupMs, () => this.context.session!.get!({ sessionID: id }))));
        const { waiting } = watched;
        watched.waiting = [];
        const from = Object.keys(found).length > 0 ? envelope : waiting.find(({ location }) => location?.directory !== undefined);
        if (from === undefined) {
          // The host is slow, or has lost it. Taken for ours it would be reviewed by every location: the next event asks anew.
          if (this.sessions.get(id) === watched) this.sessions.delete(id);
          return;
        }
        this.place(watched, object(found["info"] ?? found), from);
        if (watched.mine) for (const event of waiting) aside(async () => this.take(watched, event));
      });
    }
    return watched;
  }

  private place(watched: Watched, info: Record<string, unknown>, envelope: Envelope): void {
    const directory = string(object(info["location"])["directory"]) ?? string(info["directory"]) ?? envelope.location?.directory;
    watched.mine = directory === undefined || directory === this.directory;
    const parent = string(info["parentID"]);
    const title = string(info["title"]);
    const born = number(object(info["time"])["created"]) ?? (envelope.type === "session.created" || envelope.type === "session.forked" ? envelope.created : undefined);
    const origin = envelope.type === "session.forked" ? string(envelope.data["parentID"]) : string(object(info["fork"])["sessionID"]);
    if (born !== undefined) watched.born = born;
    if (origin !== undefined) watched.origin = origin;
    if (directory !== undefined) watched.directory = directory;
    if (parent !== undefined) watched.parent = parent;
    if (title !== undefined) watched.title = title;
  }

  private take(watched: Watched, envelope: Envelope): void {
    const events = watched.session.take(envelope);
    if (watched.session.hole && watched.announced) this.announce(watched);
    for (const event of events) this.send(watched, event);
    if (envelope.type === "session.deleted") this.sessions.delete(watched.session.id);
  }

  private send(watched: Watched, event: SessionEvent): void {
    if (watched.announced && this.advisor.wants(event.session) && !this.advisor.knows(event.session)) {
      watched.session.hole = true; // a guest that was switched on later has seen nothing of it
      this.announce(watched);
    }
    if (!watched.announced) this.announce(watched);
    this.advisor.send(event);
  }

  private announce(watched: Watched): void {
    const { session, parent, directory, title, born, origin } = watched;
    const complete = session.complete && !session.hole;
    session.hole = false;
    watched.announced = true;
    if (parent === undefined) this.lastSession = session.id;
    this.advisor.announce({
      type: "session",
      session: session.id,
      ...(parent ? { parent } : {}),
      ...(directory ? { directory } : {}),
      ...(title ? { title } : {}),
      ...(born === undefined ? {} : { born }),
      ...(origin ? { origin } : {}),
      ...(session.first ? { first: session.first } : {}),
      complete,
    });
    for (const notice of this.unsaid.splice(0)) aside(() => this.notice(notice));
  }

  async deliver(effect: Deliver): Promise<Pick<Receipt, "state" | "woke" | "detail">> {
    const session = this.context.session!;
    const metadata = {
      advisor: true,
      severity: effect.severity,
      ...(effect.notes?.length ? { notes: effect.notes } : {}),
      ...(effect.toast ? { toast: true } : {}), // shown by the half that runs in the terminal, see tui.ts
    };
    const message = { sessionID: effect.session, id: effect.id, text: effect.text, metadata, delivery: "steer" as const, resume: effect.wake };
    addBounded(this.ours, effect.id, maxOurs);
    try {
      await session.synthetic!({ ...message, description: effect.description });
    } catch (error) {
      if (!effect.wake || !session.prompt) return { state: "refused", detail: describe(error) };
      // The same id: what was admitted after all is not admitted twice.
      await session.prompt(message);
    }
    return { state: "admitted", ...(effect.wake ? { woke: true } : {}) };
  }

  /** V2 shows no toast for a server plugin, so that a notice is a message that wakes nobody. */
  async notice(notice: Notice): Promise<void> {
    const session = notice.session || this.lastSession;
    if (session === undefined) {
      this.unsaid.push(notice);
      return;
    }
    await this.say(session, notice.text, { advisor: true, notice: true, severity: "notice" });
  }

  private async say(session: string, text: string, metadata: Record<string, unknown>): Promise<void> {
    const admission = object(
      unwrap(
        await this.context.session!.synthetic!({
          sessionID: session,
          text: `[advisor] ${text}`,
          description: `advisor: ${cutEnd(text, 120).text}`,
          metadata,
          delivery: "steer",
          resume: false,
        }),
      ),
    );
    const id = string(admission["id"]);
    if (id) addBounded(this.ours, id, maxOurs);
  }

  async history(session: string): Promise<History> {
    const messages = unwrap(await this.context.session!.context!({ sessionID: session }));
    const { events, inputs } = readContext(session, messages, (id) => this.ours.has(id));
    const watched = this.sessions.get(session);
    if (watched) {
      watched.session.learn(inputs);
      // An input that was delivered while the context was being read is not in it.
      if (watched.session.unknown.size > 0 && watched.rereads++ < maxRereads) {
        watched.session.hole = true;
        queueMicrotask(() => this.announce(watched));
      }
    }
    for (const id of inputs) {
      if (this.ours.has(id)) this.advisor.send({ type: "receipt", session, id, state: "seen" });
    }
    return { type: "history", session, events };
  }

  async signals(): Promise<{ changes?: Change[] }> {
    const { vcs } = this.context;
    const files = vcs?.status ? await vcs.status({}) : vcs?.diff ? await vcs.diff({ mode: "working" }) : [];
    const changes = list(unwrap(files)).map((item): Change => {
      const file = object(item);
      const status = string(file["status"]);
      return {
        path: string(file["file"]) ?? string(file["path"]) ?? "",
        ...(status ? { status } : {}),
        added: number(file["additions"]) ?? number(file["added"]) ?? 0,
        removed: number(file["deletions"]) ?? number(file["removed"]) ?? 0,
      };
    });
    return { changes: changes.filter((change) => change.path !== "") };
  }

  providers(ids: string[]): Promise<Provider[]> {
    return Promise.all(ids.map((id) => readProvider(this.context, id)));
  }

  async generate(effect: Generate, signal: AbortSignal): Promise<Pick<Generated, "text" | "failure" | "detail">> {
    const text = this.context.generate?.text ?? this.context.experimental?.generate?.text;
    if (!text) return { failure: "unsupported", detail: "this version of OpenCode has no model call for plugins" };
    const ask = async (variant: string | undefined) =>
      text({
        prompt: effect.system ? `${effect.system}\n\n${effect.prompt}` : effect.prompt,
        ...(effect.provider && effect.model ? { model: { providerID: effect.provider, id: effect.model, ...(variant ? { variant } : {}) } } : {}),
      });
    // A variant that the model does not have fails the call: the model's own effort is then the nearest.
    const answer = await ask(effect.effort).catch((error: unknown) => {
      if (signal.aborted || !effect.effort || !/variant/i.test(describe(error))) throw error;
      return ask(undefined);
    });
    const result = object(unwrap(answer));
    return { text: string(result["text"]) ?? "" };
  }

  facts(wanted: FactsWanted): Promise<Omit<Facts, "type" | "id">> {
    return this.desk.facts(wanted);
  }

  /** The session above a child, as far up as is known; undefined when the session is another location's. */
  private async topOf(id: string): Promise<{ top?: string } | undefined> {
    let top = id;
    for (let level = 0; level < maxLevels; level++) {
      const known = this.sessions.get(top);
      let parent = known?.mine === undefined ? undefined : known.parent;
      if (known?.mine === false) return undefined;
      if (known?.mine === undefined) {
        const found = unwrap(await within(aboutMs, () => this.context.session!.get!({ sessionID: top })));
        const info = object(object(found)["info"] ?? found);
        const directory = string(object(info["location"])["directory"]) ?? string(info["directory"]);
        if (directory !== undefined && directory !== this.directory) return undefined;
        parent = string(info["parentID"]);
      }
      if (!parent) break;
      top = parent;
    }
    return top === id ? {} : { top };
  }

  ready(ready: Ready): void {
    this.desk.open(ready);
  }
}

/** An event's envelope, whichever way it came. */
export function open(raw: unknown): Envelope | undefined {
  if (typeof raw === "string") {
    if (raw.includes('.delta"')) return undefined; // most of the stream; nothing in it is ours
    return open(JSON.parse(raw));
  }
  const envelope = object(raw);
  if (typeof envelope["type"] !== "string") return undefined;
  return { ...envelope, type: envelope["type"], data: object(envelope["data"]) } as Envelope;
}
