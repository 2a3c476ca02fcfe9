// The part of pi's extension interface that the adapter uses, as it was seen in
// 0.73 and as 1.6 documents it. It is written down here so that nothing of pi is imported.

export interface PiApi {
  on(name: string, handler: (event: unknown, ctx: PiContext) => unknown): void;
  registerTool(tool: object): void;
  registerCommand(name: string, command: object): void;
  /** How messages of a custom type look in the terminal. */
  registerMessageRenderer?(customType: string, render: (message: unknown, options: unknown, theme: unknown) => object): void;
  sendMessage(message: PiMessage, options?: { deliverAs?: "steer" | "followUp" | "nextTurn"; triggerTurn?: boolean }): void;
  getActiveTools(): string[];
  setActiveTools(names: string[]): void;
}

export interface PiMessage {
  customType: string;
  content: string;
  display: boolean;
  details: unknown;
}

/** After the session's end every access throws. */
export interface PiContext {
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly mode?: string; // tui, rpc, json, print; since 0.78
  readonly ui: {
    notify(text: string, level?: "info" | "warning" | "error"): void;
    setStatus(key: string, text: string | undefined): void;
    select(title: string, options: string[]): Promise<string | undefined>;
  };
  readonly sessionManager: {
    getSessionId(): string;
    getBranch(): unknown[];
    getSessionName?(): string | undefined;
    getHeader?(): { timestamp?: string; parentSession?: string } | null;
  };
  readonly modelRegistry: PiRegistry;
  readonly model: PiModel | undefined;
  /** No run only: true during a compaction and between two tries, too. */
  isIdle(): boolean;
}

export interface PiModel {
  id: string;
  provider: string;
  api: string;
  baseUrl: string;
  reasoning?: boolean;
  thinkingLevelMap?: Record<string, unknown>;
  cost?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  maxTokens?: number;
}

export interface PiRegistry {
  find(provider: string, id: string): PiModel | undefined;
  getAll(): PiModel[];
  getAvailable(): PiModel[] | Promise<PiModel[]>;
  isUsingOAuth?(model: PiModel): boolean;
  getApiKeyAndHeaders(model: PiModel): Promise<{ ok: boolean; apiKey?: string; headers?: Record<string, string | null>; error?: string }>;
  /** Since 0.80 or so, with the credentials resolved. */
  completeSimple?: Complete;
  complete?: Complete;
}

export type Complete = (
  model: PiModel,
  context: { systemPrompt?: string; messages: { role: "user"; content: string; timestamp: number }[] },
  options: { apiKey?: string; headers?: Record<string, string | null>; signal: AbortSignal; maxTokens?: number; maxRetries?: number; reasoning?: string },
) => Promise<unknown>;
