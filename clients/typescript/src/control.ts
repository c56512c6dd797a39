// The control socket of a running agent: a request and its response, each a JSON object on a line.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** An agent, or a model, as it has registered in the control folder. */
export interface Registered {
  /** Its number, from 1, in the order in which the agents of the folder started. */
  order: number;
  name: string;
  pid: number;
  /** `unix:PATH` or `tcp:HOST:PORT`. */
  address: string;
  token?: string | null;
}

/** The agent has ended, or ends before it answers. */
export class AgentEnded extends Error {
  override name = "AgentEnded";
}

/** The agent refuses a request, or a wait has ended. */
export class Refused extends Error {
  override name = "Refused";
}

/** The agents that have registered in a folder, in the order in which they started. */
export function registered(folder: string): Registered[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  const read = (file: string): Registered[] => {
    try {
      return [JSON.parse(readFileSync(join(folder, file), "utf8")) as Registered];
    } catch {
      return []; // It is being written.
    }
  };
  return files.flatMap(read).sort((one, other) => one.order - other.order);
}

/** Why an agent of a folder has not started, if one has not: a mistake in its arguments, its variables or its script. */
export function failedStart(folder: string): string | null {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("failed-")) : [];
  const latest = files.map((name) => join(folder, name)).sort((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs).pop();
  return latest === undefined ? null : `the agent did not start: ${readFileSync(latest, "utf8")}`;
}

/** How long a response may take beyond the timeout of its request, in milliseconds. */
const SLACK = 10_000;

/** Sends one request on a connection of its own, so that a wait blocks nothing else. Its errors have the stack of the caller. */
export async function request(agent: Registered, command: unknown, timeoutMs: number): Promise<unknown> {
  const line = `${JSON.stringify({ ...(agent.token && { token: agent.token }), do: command })}\n`;
  const response = await exchange(agent.address, line, timeoutMs + SLACK);
  const title = agent.name === "provider" ? `the model (process ${agent.pid})` : `the agent ${agent.order} (${agent.name}, process ${agent.pid})`;
  if (response === "closed") throw new AgentEnded(`${title} has ended`);
  if (response === "late") throw new Refused(`${title} does not answer`);
  if (response.error !== undefined) throw new Refused(response.error);
  return response.ok;
}

function exchange(address: string, line: string, timeoutMs: number): Promise<{ ok?: unknown; error?: string } | "closed" | "late"> {
  return new Promise((resolve) => {
    const socket = connect(endpoint(address));
    let text = "";
    const end = (outcome: Awaited<ReturnType<typeof exchange>>) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => end("late"), timeoutMs);
    socket.setEncoding("utf8");
    socket.on("connect", () => socket.write(line));
    socket.on("error", () => end("closed"));
    socket.on("close", () => end("closed"));
    socket.on("data", (part: string) => {
      text += part;
      if (text.endsWith("\n")) end(JSON.parse(text) as { ok?: unknown; error?: string });
    });
  });
}

function endpoint(address: string): { path: string } | { host: string; port: number } {
  if (!address.startsWith("tcp:")) return { path: address.replace(/^unix:/, "") };
  const at = address.lastIndexOf(":");
  return { host: address.slice("tcp:".length, at), port: Number(address.slice(at + 1)) };
}
