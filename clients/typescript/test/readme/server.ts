// The page of the example: it sends what is typed, and shows the answer as it comes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask, type Settings } from "./host.js";

const PAGE = `<!doctype html><title>Ask</title><input><p data-testid="answer"></p><script>
document.querySelector("input").onchange = async ({ target }) => {
  const { body } = await fetch("/ask", { method: "POST", body: target.value });
  for await (const text of body.pipeThrough(new TextDecoderStream())) document.querySelector("p").append(text);
};
</script>`;

/** Serves the page; each question has an agent of its own. */
export async function startServer(settings: Pick<Settings, "command" | "env">): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return void response.setHeader("content-type", "text/html").end(PAGE);
    const question = (await request.setEncoding("utf8").toArray()).join("");
    await ask(question, { ...settings, onText: (text) => response.write(text) });
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () => new Promise<void>((closed) => (server.close(() => closed()), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close };
}
