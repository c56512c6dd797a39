// The end of a test: what it has deferred, what it has started, and all that went wrong.

/** Calls the functions that a test has deferred, the last one first. Returns their errors. */
export async function runDeferred(actions: readonly (() => unknown)[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const action of [...actions].reverse()) {
    try {
      await action();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/** Throws the only error, or one with the messages of all. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map((error) => (error instanceof Error ? error.message : String(error))).join("\n\n"));
}

/** Closes all; fails as the first one does that fails. */
export async function closeAll(all: readonly { close(): Promise<void> }[]): Promise<void> {
  const closed = await Promise.allSettled(all.map((one) => one.close()));
  const failed = closed.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
