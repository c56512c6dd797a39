// The page of the app: it shows the answer to what is typed.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask, type Env } from "./app.js";

const PAGE = `<!doctype html><title>Ask</title><input><p data-testid="answer"></p><script>
document.querySelector("input").onchange = async ({ target }) => {
  document.querySelector("p").textContent = "Thinking";
  const answer = await fetch("/ask", { method: "POST", body: target.value });
  document.querySelector("p").textContent = await answer.text();
};
</script>`;

export async function startServer(env: Env): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return void response.setHeader("content-type", "text/html").end(PAGE);
    const question = (await request.setEncoding("utf8").toArray()).join("");
    response.end(await ask(question, env).catch((error: Error) => error.message));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () => new Promise<void>((closed) => (server.close(() => closed()), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close };
}
