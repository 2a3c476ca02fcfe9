import assert from "node:assert/strict";
import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import * as zlib from "node:zlib";
import { type Exchange, fetched, overNode } from "../host/exchange.ts";
import { Http, maxOpen, maxReply } from "../host/http.ts";
import type { HTTP, HTTPSend } from "../host/protocol.gen.ts";

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

let handler: Handler;
let base: string;
const sockets = new Set<Socket>();
const server = http.createServer((request, response) => handler(request, response));
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Sends one request and waits for its end. */
function exchange(request: Partial<HTTPSend>, handle: Handler, origins = [base]): Promise<HTTP> {
  handler = handle;
  return new Promise((resolve, reject) => {
    const client = new Http(resolve);
    client.allow(origins);
    if (!client.send({ type: "http_send", id: "r1", method: "POST", url: `${base}/v1`, timeoutMs: 5000, maxBytes: maxReply, ...request })) reject(new Error("refused"));
  });
}

describe("a request", () => {
  test("carries method, headers and body, and brings status, headers and body back", async () => {
    let seen = "";
    const answer = await exchange({ headers: [{ name: "Authorization", value: "Bearer k" }], body: "hello ü" }, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        seen = `${request.method} ${request.url} ${request.headers.authorization} ${body}`;
        response.writeHead(429, { "Retry-After": "7" }).end("slow down ☃");
      });
    });
    assert.equal(seen, "POST /v1 Bearer k hello ü");
    assert.equal(answer.status, 429);
    assert.equal(answer.body, "slow down ☃");
    assert.equal(answer.headers?.find(({ name }) => name === "retry-after")?.value, "7");
    assert.equal(answer.failure, undefined);
  });

  test("puts characters together that were split between chunks", async () => {
    const answer = await exchange({}, (_, response) => {
      const bytes = Buffer.from("é☃");
      response.write(bytes.subarray(0, 1));
      setImmediate(() => {
        response.write(bytes.subarray(1, 3));
        setImmediate(() => response.end(bytes.subarray(3)));
      });
    });
    assert.equal(answer.body, "é☃");
  });

  test("reads up to the cap and leaves the rest", async () => {
    const answer = await exchange({ maxBytes: 1000 }, (_, response) => response.end("x".repeat(5000)));
    assert.equal(answer.body?.length, 1000);
    assert.equal(answer.cut, true);
  });

  test("reads no more than 4 MB, whatever is asked for, from a reply without end", async () => {
    const answer = await exchange({ maxBytes: 1e9 }, (_, response) => {
      const chunk = "x".repeat(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    assert.equal(answer.body?.length, maxReply);
    assert.equal(answer.cut, true);
  });
});

describe("a failure is an answer", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`redirect ${status} is not followed`, async () => {
      let calls = 0;
      const answer = await exchange({}, (_, response) => {
        calls++;
        response.writeHead(status, { Location: `${base}/elsewhere` }).end();
      });
      assert.equal(answer.failure, "redirect");
      assert.match(answer.detail ?? "", new RegExp(`${status}`));
      assert.equal(calls, 1);
    });
  }

  const elsewhere: [string, string][] = [
    ["another port", "http://127.0.0.1:1/v1"],
    ["another scheme", "https://127.0.0.1/v1"],
    ["another host", "http://localhost/v1"],
    ["credentials in the address", "http://user:pass@127.0.0.1/v1"],
    ["a file", "file:///etc/passwd"],
    ["data", "data:text/plain,hello"],
    ["nothing that can be parsed", "not an address"],
  ];
  for (const [title, url] of elsewhere) {
    test(`no other origin is contacted: ${title}`, async () => {
      let calls = 0;
      const answer = await exchange({ url }, () => calls++);
      assert.equal(answer.failure, "origin");
      assert.equal(calls, 0);
    });
  }

  test("before the origins are known none is contacted", async () => {
    const answer = await new Promise<HTTP>((resolve) => {
      new Http(resolve).send({ type: "http_send", id: "r1", method: "GET", url: base, timeoutMs: 1000, maxBytes: 10 });
    });
    assert.equal(answer.failure, "origin");
  });

  test("the origins are fixed by the first call", async () => {
    const answer = await new Promise<HTTP>((resolve) => {
      const client = new Http(resolve);
      client.allow(["http://127.0.0.1:1"]);
      client.allow([base]);
      client.send({ type: "http_send", id: "r1", method: "GET", url: base, timeoutMs: 1000, maxBytes: 10 });
    });
    assert.equal(answer.failure, "origin");
  });

  test("a server that never answers", async () => {
    const answer = await exchange({ timeoutMs: 50 }, () => {});
    assert.equal(answer.failure, "timeout");
    assert.equal(answer.detail, "no answer within 50 ms");
  });

  test("a server that stops in the middle of its answer", async () => {
    const answer = await exchange({ timeoutMs: 100 }, (_, response) => response.write("half"));
    assert.equal(answer.failure, "timeout");
  });

  test("a server that hangs up", async () => {
    const answer = await exchange({}, (request) => request.socket.destroy());
    assert.equal(answer.failure, "network");
    assert.notEqual(answer.detail, "");
    assert.doesNotMatch(answer.detail ?? "", /127\.0\.0\.1/);
  });

  test("nobody listens", async () => {
    const free = http.createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(free.address() as AddressInfo).port}`;
    await new Promise((resolve) => free.close(resolve));
    const answer = await exchange({ url }, () => {}, [url]);
    assert.equal(answer.failure, "network");
  });

  test("a header that cannot be sent", async () => {
    const answer = await exchange({ headers: [{ name: "X", value: "a\nb" }] }, () => {});
    assert.equal(answer.failure, "network");
  });
});

describe("many requests", () => {
  test("are bounded, and a place is free again after an end", async () => {
    handler = () => {};
    const client = new Http(() => {});
    client.allow([base]);
    const request = (id: string): HTTPSend => ({ type: "http_send", id, method: "GET", url: base, timeoutMs: 5000, maxBytes: 10 });
    for (let i = 0; i < maxOpen; i++) assert.equal(client.send(request(`r${i}`)), true);
    assert.equal(client.send(request("one too many")), false);
    client.cancel("r0");
    assert.equal(client.send(request("r0")), true);
    assert.equal(client.send(request("r1")), false, "an id in use");
    client.clear();
    assert.equal(client.count, 0);
  });

  test("a cancelled one says nothing more and lets the server know", async () => {
    const events: HTTP[] = [];
    const client = new Http((event) => events.push(event));
    client.allow([base]);
    const hungUp = new Promise<void>((resolve) => {
      handler = (request) => {
        request.socket.on("close", () => resolve());
        client.cancel("r1");
      };
    });
    client.send({ type: "http_send", id: "r1", method: "GET", url: base, timeoutMs: 5000, maxBytes: 10 });
    await hungUp;
    await exchange({ method: "GET" }, (_, response) => response.end()); // a whole other exchange later
    assert.deepEqual(events, []);
  });
});

// Node's own client against fetch, which is the plain way: for each answer that a server may give, both say the same.
describe("both clients", () => {
  const text = "é☃ and so on. ".repeat(300);
  const packed = (name: string, bytes: Buffer): Handler => (_, response) => response.writeHead(200, { "content-encoding": name }).end(bytes);
  const answers: Record<string, Handler> = {
    "a text": (_, response) => response.writeHead(200, { "content-type": "text/plain", "X-Odd": "a,b" }).end(text),
    "an error": (_, response) => response.writeHead(503, { "Retry-After": "7" }).end("busy"),
    nothing: (_, response) => response.writeHead(204).end(),
    "what is not modified": (_, response) => response.writeHead(304).end(),
    "a redirect": (_, response) => response.writeHead(302, { location: "/elsewhere" }).end("elsewhere"),
    "headers twice": (_, response) => response.writeHead(200, [["x-a", "1"], ["x-a", "2"], ["set-cookie", "c=1"], ["retry-after", "3"]].flat()).end("x"),
    "a byte order mark, and what is no UTF-8": (_, response) => response.end(Buffer.concat([Buffer.from("\ufeffx"), Buffer.from([0xff, 0xc3]), Buffer.from("y")])),
    "characters split between chunks": (_, response) => {
      const bytes = Buffer.from("é☃");
      response.write(bytes.subarray(0, 1));
      setImmediate(() => response.write(bytes.subarray(1, 3), () => setImmediate(() => response.end(bytes.subarray(3)))));
    },
    "more than is wanted": (_, response) => response.end(text.repeat(10)),
    gzip: packed("gzip", zlib.gzipSync(text)),
    deflate: packed("deflate", zlib.deflateSync(text)),
    brotli: packed("br", zlib.brotliCompressSync(text)),
    "more than is wanted, packed": packed("gzip", zlib.gzipSync(text.repeat(1000))),
    "what is said to be packed and is not": packed("gzip", Buffer.from(text)),
    "an answer that breaks off": (_, response) => response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy()),
    "what was asked": (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const { authorization, accept, host } = request.headers;
        const agent = request.headers["user-agent"]?.replace(/^Bun.*/, "node");
        response.end(JSON.stringify([request.method, request.url, { authorization, accept, host, agent, a: request.headers["x-a"], length: request.headers["content-length"], encoding: request.headers["transfer-encoding"] }, body]));
      });
    },
  };
  const asks = [
    { method: "POST", headers: [{ name: "Authorization", value: "Bearer k" }, { name: "accept", value: "application/json" }, { name: "X-A", value: "1" }, { name: "x-a", value: "2" }], body: "hello ü" },
    { method: "POST", headers: [{ name: "User-Agent", value: "mine" }], body: "" },
    { method: "GET", headers: [], body: "" },
  ];
  async function said(exchange: Exchange, ask: (typeof asks)[number]) {
    try {
      const { headers, ...rest } = await exchange(`${base}/v1?x=1`, ask, new AbortController().signal, 20_000);
      const own = ["date", "connection", "keep-alive", "transfer-encoding", "content-encoding", "content-length"];
      return { ...rest, headers: headers.map(([name, value]) => [name.toLowerCase(), value]).filter(([name]) => rest.status < 300 && !own.includes(name!)).sort() };
    } catch {
      return "no answer";
    }
  }
  for (const [title, answer] of Object.entries(answers)) {
    test(`say the same of ${title}`, async () => {
      handler = answer;
      for (const ask of asks) assert.deepEqual(await said(overNode, ask), await said(fetched, ask), JSON.stringify(ask));
    });
  }

  test("ask for text that is not packed, and keep the connection", async () => {
    const seen: unknown[] = [];
    const ports = new Set<number | undefined>();
    handler = (request, response) => {
      seen.push(request.headers["accept-encoding"]);
      ports.add(request.socket.remotePort);
      response.end("x");
    };
    for (let i = 0; i < 3; i++) await overNode(base, asks[2]!, new AbortController().signal, 10);
    assert.deepEqual(seen, ["identity", "identity", "identity"]);
    assert.equal(ports.size, 1);
  });
});
