// The file of a model's script, and what is said about a mistake in it.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scriptSetting } from "./script.js";
import type { ModelScript } from "./types/index.js";

/** The replies, the path of a file that ends in `.yaml` or `.json`, a YAML text, or the name of a built-in script. */
export type ModelReplies = ModelScript | string;

/** The script of a model cannot be played: which mistakes it has, each with its place. */
export class ScriptError extends Error {
  override name = "ScriptError";
}

/** Writes a script to a file of this folder, each reply on a line of its own; returns what `conform provider --script` takes. */
export function writeScript(script: ModelReplies, folder: string, name = "script.yaml"): string {
  const file = join(folder, name);
  const write = (text: string) => (writeFileSync(file, text), file);
  if (typeof script === "string") return scriptSetting(script, write);
  return write(`[\n${script.map((reply) => JSON.stringify(reply)).join(",\n")}\n]\n`);
}

/** The reply of a script, as text. Null if the script is a file or a text. */
export function replyOf(script: ModelReplies, number: number): string | null {
  return typeof script === "string" ? null : (JSON.stringify(script[number]) ?? null);
}

/** What `conform` says about a script. A place in a file that was written for it, in this folder, becomes one in the script. */
export function scriptError(message: string, script: ModelReplies, folder: string): ScriptError {
  const place = (line: string, column: string) => (typeof script === "string" ? `line ${line}, column ${column} of the script` : `reply ${Number(line) - 2} of the script`);
  const named = message.replace(/--> (.+):(\d+):(\d+)$/gm, (as, file: string, line: string, column: string) => (dirname(file) === folder ? `--> ${place(line, column)}` : as));
  const shown = typeof script === "string" ? named : named.replace(/^ *\d+(?= \| )/gm, (number) => " ".repeat(number.length));
  return new ScriptError(`the script of the model cannot be played\n\n${shown.trimEnd()}`);
}
