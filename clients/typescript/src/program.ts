// The program of the mock agent, and how each protocol starts it.
import { accessSync, constants } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { installedProgram } from "./platform.js";

/** The path of the program: as given, as MOCK_AGENT names it, that of the installed package, or `mock-agent` on the PATH. */
export function findProgram(given: string | undefined): string {
  const name = given ?? process.env["MOCK_AGENT"] ?? installedProgram("mock-agent") ?? "mock-agent";
  const isPath = /[\\/]/.test(name);
  const folders = isPath ? [] : (process.env["PATH"] ?? "").split(delimiter);
  const suffixes = process.platform === "win32" ? ["", ".exe", ".cmd"] : [""];
  const places = isPath ? [resolve(name)] : folders.flatMap((folder) => suffixes.map((suffix) => resolve(join(folder, name + suffix))));
  const program = places.find(isExecutable);
  if (program !== undefined) return program;
  const what = isPath ? `${name} is not a program` : `${name} is not on the PATH`;
  throw new Error(`${what}: name the mock agent by the option \`program\` or by MOCK_AGENT in the environment`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const ARGUMENTS: Record<string, string[]> = { aionrs: ["--json-stream"], pi: ["--mode", "rpc"], synaps: ["rpc"] };

/** The arguments with which the real agent of a protocol is started. */
export function argumentsOf(protocol: string | undefined): string[] {
  return ARGUMENTS[protocol?.split("@")[0] ?? ""] ?? [];
}
