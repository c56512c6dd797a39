// Matchers of values, for the commands to an agent that has ended. One that runs matches by itself, with all operators.

/** Whether a value matches: members of objects, elements of arrays, and values. Operators match nothing. */
export function isMatch(value: unknown, matcher: unknown): boolean {
  if (Array.isArray(matcher)) return Array.isArray(value) && value.length === matcher.length && matcher.every((one, at) => isMatch(value[at], one));
  if (typeof matcher !== "object" || matcher === null) return value === matcher;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(matcher).every(([name, one]) => isMatch((value as Record<string, unknown>)[name], one));
}
