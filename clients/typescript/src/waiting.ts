// Waits for what no event tells: files, and the end of processes that are not ours.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits until the function returns something; null after the timeout. */
export async function until<T>(find: () => T | null | Promise<T | null>, timeoutMs: number): Promise<T | null> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    if (Date.now() >= end) return null;
    await sleep(10);
  }
}

/** Whether a process runs. One that has ended and is not yet reaped by its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return true;
  }
}
