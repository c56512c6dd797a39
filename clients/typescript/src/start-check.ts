// Whether a mock agent starts with its protocol and its script, before a host starts it.
import { execFile } from "node:child_process";

/** The exit status of a program that does not start. */
const USAGE = 2;

/** How long the agent may take to say what is wrong, in milliseconds. One that runs on has started. */
const LIMIT_MS = 1_000;

const SETTINGS = ["MOCK_AGENT_PROTOCOL", "MOCK_AGENT_DIALECT", "MOCK_AGENT_DIALECT_DIR", "MOCK_AGENT_SCRIPT"];

/** Starts the agent without a host, in a folder of its own, where it ends immediately. Rejects if it does not start, with its message. */
export async function checkStart(command: string, args: readonly string[], env: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MOCK_AGENT_"));
  const settings = Object.entries(env).filter(([name]) => SETTINGS.includes(name));
  const surroundings = { ...Object.fromEntries([...inherited, ...settings]), HOME: folder, MOCK_AGENT_CLOCK: "1000000" };
  const options = { cwd: folder, env: surroundings, timeout: LIMIT_MS, killSignal: "SIGKILL", maxBuffer: 1 << 26 } as const;
  const why = await new Promise<string | null>((resolve) => {
    const child = execFile(command, args, options, (error, _, stderr) => resolve(error?.code === USAGE ? stderr : null));
    child.stdin?.on("error", () => {}).end();
  });
  const mistake = /^mock-agent: ([^]*)/m.exec(why ?? "")?.[1];
  if (mistake !== undefined) throw new Error(`the agent did not start: ${mistake.trimEnd()}`);
}
