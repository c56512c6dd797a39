// The page and its API over HTTP. Events go to the page as server-sent events, what the user does comes back as POST.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { Conversation, Refusal } from "./conversation.mjs";

const PUBLIC = new URL("../public/", import.meta.url);
const FILES = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/style.css": ["style.css", "text/css; charset=utf-8"],
  "/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/state.js": ["state.js", "text/javascript; charset=utf-8"],
  "/view.js": ["view.js", "text/javascript; charset=utf-8"],
  "/markdown.js": ["markdown.js", "text/javascript; charset=utf-8"],
};

/** Each conversation is a process. */
const MOST_CONVERSATIONS = 16;

/** How long a conversation without a page is kept, in milliseconds: a page that is reloaded finds it again. */
const KEPT = 30_000;

/** The largest body of a request, in bytes. */
const LARGEST_BODY = 1024 * 1024;

/** What may wait for a slow page, in bytes. Beyond it the page is disconnected; it comes back and reads on from the log. */
const LARGEST_QUEUE = 16 * 1024 * 1024;

/** An answer other than success. */
class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A server whose conversations have these options. `close` ends the agents too. */
export function createHost(options) {
  /** By id: the conversation, the responses that carry its events to pages, and the timer that ends it while it has none. */
  const open = new Map();
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      const status = error instanceof Refusal ? 409 : (error.status ?? 500);
      if (status === 500) console.error(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: error.message }));
    });
  });

  async function answer(request, response) {
    onlyFromOwnPages(request);
    const { pathname } = new URL(request.url, "http://host");
    const [, api, collection, id, action] = pathname.split("/");
    if (request.method === "GET" && FILES[pathname]) return sendFile(response, ...FILES[pathname]);
    if (api !== "api" || collection !== "conversations") throw new Failure(404, "no such page");
    if (request.method === "POST" && id === undefined) return sendJson(response, { id: start().id });
    const entry = open.get(id);
    if (!entry) throw new Failure(404, "no such conversation");
    const { conversation } = entry;
    if (request.method === "GET" && action === "events") return stream(entry, request, response);
    if (request.method !== "POST") throw new Failure(405, "not allowed");
    const body = await readJson(request);
    if (action === "prompt") conversation.prompt(body.text);
    else if (action === "answer") conversation.answer(body.call, body.decision, body.reason);
    else if (action === "stop") conversation.stop();
    else if (action === "restart") conversation.restart();
    else throw new Failure(404, "no such action");
    sendJson(response, {});
  }

  function start() {
    if (open.size >= MOST_CONVERSATIONS) throw new Failure(503, "too many conversations are open");
    const entry = { conversation: new Conversation(options), pages: new Set(), timer: null };
    open.set(entry.conversation.id, entry);
    endUnlessRead(entry);
    return entry.conversation;
  }

  function endUnlessRead(entry) {
    entry.timer = setTimeout(() => end(entry), KEPT);
  }

  async function end({ conversation, pages, timer }) {
    clearTimeout(timer);
    open.delete(conversation.id);
    await conversation.close();
    pages.forEach((page) => page.end());
  }

  function stream(entry, request, response) {
    clearTimeout(entry.timer);
    entry.pages.add(response);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const after = Number(request.headers["last-event-id"]) || 0;
    const unsubscribe = entry.conversation.subscribe(after, (event) => {
      if (response.writableLength > LARGEST_QUEUE) response.destroy();
      else response.write(`id: ${event.n}\ndata: ${JSON.stringify(event)}\n\n`);
    });
    response.on("close", () => {
      unsubscribe();
      entry.pages.delete(response);
      if (entry.pages.size === 0 && open.has(entry.conversation.id)) endUnlessRead(entry);
    });
  }

  return {
    /** Listens on loopback only; returns the address of the page. */
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}/`));
      }),
    close: async () => {
      server.close();
      await Promise.all([...open.values()].map(end));
      server.closeAllConnections();
    },
  };
}

/** Other web pages must not start agents or approve tools: not by a request of their own, and not under another host name. */
function onlyFromOwnPages({ headers, method }) {
  const name = headers.host?.replace(/:\d+$/, "");
  if (name !== "127.0.0.1" && name !== "localhost") throw new Failure(403, "unknown host name");
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) throw new Failure(403, "unknown origin");
  if (method === "POST" && headers["content-type"] !== "application/json") throw new Failure(415, "the body must be JSON");
}

async function readJson(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > LARGEST_BODY) throw new Failure(413, "the body is too large");
    parts.push(part);
  }
  try {
    return Object(JSON.parse(Buffer.concat(parts).toString("utf8") || "{}"));
  } catch {
    throw new Failure(400, "the body is not JSON");
  }
}

async function sendFile(response, name, type) {
  const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const body = await readFile(new URL(name, PUBLIC));
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache", "content-security-policy": policy }).end(body);
}

function sendJson(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
