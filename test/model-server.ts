// An OpenAI-compatible server that answers from a list, for tests in this process.

import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type Answer = { toolCalls: { name: string; args: object }[] } | { text: string } | { status: number; body?: string } | "hang" | "drop";

export class ModelServer {
  readonly requests: { authorization: string | undefined; body: { model: string; messages: { role: string; content: unknown }[]; tools?: { function: { name: string } }[] } }[] = [];
  readonly answers: Answer[] = [];
  /** Given when the list is empty. */
  otherwise: Answer = { text: "silent" };
  /** Done once, before the next answer. */
  during: (() => void) | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly waiting: { n: number; resolve: () => void }[] = [];
  private readonly server = http.createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      this.requests.push({ authorization: request.headers.authorization, body: JSON.parse(text) as never });
      const { during } = this;
      this.during = undefined;
      during?.();
      this.answer(this.answers.shift() ?? this.otherwise, request, response);
      for (const entry of this.waiting.splice(0)) {
        if (this.requests.length >= entry.n) entry.resolve();
        else this.waiting.push(entry);
      }
    });
  });

  get baseURL(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async start(): Promise<void> {
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  /** Resolves when n requests have come in. */
  asked(n: number): Promise<void> {
    if (this.requests.length >= n) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ n, resolve }));
  }

  private answer(answer: Answer, request: http.IncomingMessage, response: http.ServerResponse): void {
    if (answer === "hang") return;
    if (answer === "drop") {
      request.socket.destroy();
      return;
    }
    if ("status" in answer) {
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body ?? '{"error":{"message":"no"}}');
      return;
    }
    const message =
      "text" in answer
        ? { role: "assistant", content: answer.text }
        : {
            role: "assistant",
            content: "",
            tool_calls: answer.toolCalls.map(({ name, args }, i) => ({ id: `call_${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } })),
          };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "text" in answer ? "stop" : "tool_calls" }], usage: { prompt_tokens: 10, completion_tokens: 5 } }));
  }
}
