// The differences between two recorded sessions, each with its step, what it is in, and the path in there.

const isObject = (value) => value !== null && typeof value === "object";

/** What an item of a list is called: its place in another list is found by that. */
const label = (item) => {
  if (!isObject(item)) return typeof item;
  if (item.call) return `${item.call}()`;
  const kind = item.type ?? item.role ?? "";
  const detail = item.assistantMessageEvent?.type ?? item.message?.role ?? item.toolName ?? item.command;
  return detail === undefined ? kind : `${kind} ${detail}`;
};

/** Pairs of two lists: items with the same label, in the same order, as many as possible. */
const aligned = (real, mock) => {
  const [a, b] = [real.map(label), mock.map(label)];
  const lengths = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (a[i] !== undefined && a[i] === b[j]) pairs.push([real[i++], mock[j++]]);
    else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) pairs.push([real[i++], undefined]);
    else pairs.push([undefined, mock[j++]]);
  }
  return pairs;
};

/** The differences between two values, as `{path, real, mock}`. A value that only one side has is undefined on the other. */
export const differences = (real, mock, path = "") => {
  if (Array.isArray(real) && Array.isArray(mock)) return ofLists(real, mock).map((found) => ({ ...found, path: `${path}/${found.at}${found.path}` }));
  if (!isObject(real) || !isObject(mock) || Array.isArray(real) !== Array.isArray(mock)) {
    return Object.is(real, mock) ? [] : [{ path, real, mock }];
  }
  const keys = [...new Set([...Object.keys(real), ...Object.keys(mock)])];
  return keys.flatMap((key) => differences(real[key], mock[key], `${path}/${key}`));
};

/** The differences between the items of two lists, each with the label of its item. */
const ofLists = (real, mock) =>
  aligned(real, mock).flatMap(([one, other]) => differences(one, other).map((found) => ({ ...found, at: label(one ?? other) })));

/** The differences between the steps of two hosts. */
export const compareSteps = (real, mock) =>
  real.flatMap((step, index) => {
    const lists = ["calls", "responses", "events"];
    const found = lists.flatMap((list) => ofLists(step[list], mock[index]?.[list] ?? []));
    return found.map((difference) => ({ step: step.name, ...difference }));
  });
