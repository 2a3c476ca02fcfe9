// The part of OpenCode V2's plugin context that the adapter uses, as it was seen
// in 2.0.x and in the beta before it. All of it is optional: V1 calls setup with a
// context that lacks most, and a version may lack any.

export interface V2Context {
  app?: { version?: string };
  options?: Record<string, unknown>;
  location?: { directory?: string; project?: { id?: string; directory?: string } };
  event?: { subscribe?(options?: { signal?: AbortSignal }): AsyncIterable<unknown> };
  session?: {
    get?(input: { sessionID: string }): Promise<unknown>;
    context?(input: { sessionID: string }): Promise<unknown>;
    synthetic?(input: Admission): Promise<unknown>;
    prompt?(input: Omit<Admission, "description">): Promise<unknown>;
  };
  tool?: { transform?(change: (editor: { add(definition: object): void }) => void): Promise<Registration> };
  command?: { transform?(change: (editor: { add(definition: object): void }) => void): Promise<Registration> };
  permission?: { hook?(name: "evaluate", judge: (event: Evaluation) => Promise<void>): Promise<Registration> };
  generate?: { text?: GenerateText };
  experimental?: { generate?: { text?: GenerateText } };
  provider?: { get?(input: { providerID: string }): Promise<unknown> };
  model?: { list?(): Promise<unknown> };
  /** The beta's name for providers and models. */
  catalog?: { model?: { list?(): Promise<unknown> }; provider?: { get?(input: { providerID: string } | string): Promise<unknown> } };
  integration?: {
    connection?: { active?(id: string): Promise<unknown>; resolve?(connection: unknown): Promise<unknown> };
  };
  vcs?: { status?(input?: object): Promise<unknown>; diff?(input: { mode: "working" }): Promise<unknown> };
  agent?: { get?(input: { agentID: string }): Promise<unknown> };
  worktree?: { list?(input: { projectID: string }): Promise<unknown> };
}

export interface Registration {
  dispose?(): Promise<void> | void;
}

export interface Admission {
  sessionID: string;
  id?: string;
  text: string;
  description?: string;
  metadata?: Record<string, unknown>;
  delivery?: "steer" | "queue";
  resume?: boolean;
}

type GenerateText = (input: { prompt: string; model?: { providerID: string; id: string; variant?: string } }) => Promise<unknown>;

/** What the permission hook may change: effect and message. */
export interface Evaluation {
  effect?: string;
  message?: string;
  readonly sessionID?: string;
  readonly agent?: string;
  readonly action?: string;
  readonly resources?: readonly string[];
  readonly metadata?: unknown;
  readonly source?: unknown;
}

/** An event, in both spellings; one beta sent it as JSON text. */
export interface Envelope {
  type: string;
  created?: number;
  location?: { directory?: string };
  durable?: { aggregateID?: string; seq?: number };
  data: Record<string, unknown>;
}
