// What the agent says: a built-in script, a file, or a script that a test writes.
import { resolve } from "node:path";
import type { AgentScript, ModelScript } from "./types/index.js";

/** The name of a built-in script, the path of a file that ends in `.yaml` or `.json`, a YAML text, or the script itself. */
export type Script = string | ModelScript | AgentScript;

/** The value of MOCK_AGENT_SCRIPT for a script. `write` writes a text to a file and returns its path. */
export function scriptSetting(script: Script, write: (text: string) => string): string {
  if (typeof script !== "string") return write(JSON.stringify(script, null, 2));
  if (/^[\w-]+$/.test(script)) return script;
  if (/^[^\n]*\.(ya?ml|json)$/.test(script)) return resolve(script);
  return write(script);
}
