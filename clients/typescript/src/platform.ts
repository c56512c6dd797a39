// The programs that the package of this platform brings.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const PLATFORM = `${process.platform}-${process.arch}`;

/** The path of a program in the package of this platform, if that is installed. */
export function installedProgram(name: "conform" | "mock-agent"): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@agent-conform/${PLATFORM}/bin/${name}`);
  } catch {
    return undefined;
  }
}

/** Runs a program in place of this process: with its arguments, streams and signals, to its exit status. */
export function run(name: "conform" | "mock-agent"): void {
  const program = installedProgram(name);
  if (program === undefined) {
    console.error(`agent-conform: @agent-conform/${PLATFORM} is not installed: npm leaves it out with --omit=optional, and not every platform has one`);
    process.exit(2);
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`agent-conform: ${error.message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
}
