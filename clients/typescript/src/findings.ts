// What the host did wrong, as the judge in each agent has written it.

/** A clause of the specification of the protocol. */
export interface Clause {
  id: string;
  section: string;
  text: string;
}

/** A mistake of the host. */
export interface Finding {
  /** The rule that was broken, such as `aionrs/message-id-unique`. */
  rule: string;
  level: "must" | "should";
  message: string;
  /** The clauses of the specification that the rule is made of. */
  clauses: Clause[];
  /** The number of the wrong frame in the session, from 1, and the frame; null for a mistake without a frame. */
  at: number | null;
  frame: string | null;
  /** The whole text of the judge, with the frames before. */
  text: string;
}

/** The findings in the file of a judge: of a running session, or of one that has ended, where the last ones of many have one line each. */
export function parseFindings(file: string): Finding[] {
  const starts = /^(?=CAUSE \d|(?:must|should) \S+ at frame \d|(?:MUST|SHOULD) \S+ )/m;
  const blocks = file.split(starts).filter((block) => block.trim() !== "");
  return blocks.map((block) => parseFinding(block.trimEnd()));
}

function parseFinding(text: string): Finding {
  const live = /^(must|should) (\S+) at frame (\d+): (.*)/.exec(text);
  const whole = /^CAUSE \d+ of \d+ (.*)\n {2}(must|should) (\S+)/.exec(text);
  const line = /^(MUST|SHOULD) (\S+) (.*)/.exec(text);
  const rule = live?.[2] ?? whole?.[3] ?? line?.[2] ?? "unknown";
  const level = (live?.[1] ?? whole?.[2] ?? line?.[1])?.toLowerCase() === "should" ? "should" : "must";
  const message = live?.[4] ?? whole?.[1] ?? line?.[3] ?? text;
  const at = live?.[3] ?? / at frame (\d+)/.exec(text)?.[1];
  const frame = /^ +Frame {2}(.*)/m.exec(text)?.[1] ?? /^(?: {4}Frames {2}| {12})> +\d+ .*?(?:host|agent) +(.*)/m.exec(text)?.[1];
  return { rule, level, message, clauses: clausesOf(text), at: at === undefined ? null : Number(at), frame: frame ?? null, text };
}

function clausesOf(text: string): Clause[] {
  const cited = text.matchAll(/^ {4}Clause {2}(\S+) \(section (.*?)(?:, (?:must|should|may))?\): (.*(?:\n {12}\S.*)*)/gm);
  return [...cited].map(([, id = "", section = "", text = ""]) => ({ id, section, text: text.replace(/\n +/g, " ") }));
}

/** The host broke the protocol, or did not where a test expects it. */
export class HostError extends Error {
  override name = "HostError";

  constructor(
    message: string,
    readonly findings: Finding[],
  ) {
    super(message);
  }
}

/** Compares findings with those that are expected or allowed, by the id of their rule or of a clause. Null if they are the same. */
export function judge(findings: Finding[], expected: ReadonlySet<string>, allowed: ReadonlySet<string>): HostError | null {
  const names = ({ rule, clauses }: Finding) => [rule, ...clauses.map(({ id }) => id)];
  const unexpected = findings.filter((finding) => !names(finding).some((name) => expected.has(name) || allowed.has(name)));
  const missing = [...expected].filter((name) => !findings.some((finding) => names(finding).includes(name)));
  const broken = findings.length > 0 ? `it broke ${findings.flatMap(names).join(", ")}` : "it broke nothing";
  const parts = [
    ...(unexpected.length > 0 ? ["the host broke the protocol", ...unexpected.map(({ text }) => text.replace(/^( +(?:Rerun|Explain) {2})conform /gm, "$1npx conform "))] : []),
    ...missing.map((name) => `the host did not break ${name}, which the test expects; ${broken}`),
  ];
  return parts.length > 0 ? new HostError(parts.join("\n\n"), unexpected) : null;
}
