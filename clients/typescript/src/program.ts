// The programs of the mock agent and of the scripted model, and how each protocol starts an agent.
import { accessSync, constants } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { installedProgram } from "./platform.js";

/** The variables that name the programs, and what each program is. */
const PROGRAMS = { "mock-agent": ["MOCK_AGENT", "the mock agent"], conform: ["CONFORM", "conform"] } as const;

/** The path of a program: as given, as MOCK_AGENT or CONFORM names it, that of the installed package, or that on the PATH. */
export function findProgram(program: keyof typeof PROGRAMS, given: string | undefined): string {
  const [variable, title] = PROGRAMS[program];
  const name = given ?? process.env[variable] ?? installedProgram(program) ?? program;
  const isPath = /[\\/]/.test(name);
  const folders = isPath ? [] : (process.env["PATH"] ?? "").split(delimiter);
  const suffixes = process.platform === "win32" ? ["", ".exe", ".cmd"] : [""];
  const places = isPath ? [resolve(name)] : folders.flatMap((folder) => suffixes.map((suffix) => resolve(join(folder, name + suffix))));
  const found = places.find(isExecutable);
  if (found !== undefined) return found;
  const what = isPath ? `${name} is not a program` : `${name} is not on the PATH`;
  throw new Error(`${what}: name ${title} by the option \`program\` or by ${variable} in the environment`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const ARGUMENTS: Record<string, string[]> = { acp: ["--acp"], aionrs: ["--json-stream"], pi: ["--mode", "rpc"], synaps: ["rpc"] };

/** The arguments with which the real agent of a protocol is started. */
export function argumentsOf(protocol: string | undefined): string[] {
  return ARGUMENTS[protocol?.split("@")[0] ?? ""] ?? [];
}
