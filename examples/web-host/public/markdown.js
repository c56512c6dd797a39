// The few parts of Markdown that answers are full of: headings, lists, code, bold. Builds DOM nodes, never HTML text.

/** Longer texts are shown as they are: formatting them again with each delta would take too long. */
const LONGEST = 100_000;

const BLOCKS = [
  [/^(#{1,6})\s+(.*)/, ([, marks, text]) => element(`h${Math.min(marks.length + 2, 6)}`, inline(text))],
  [/^\s*[-*]\s+(.*)/, ([, text]) => element("li", inline(text)), "ul"],
  [/^\s*\d+[.)]\s+(.*)/, ([, text]) => element("li", inline(text)), "ol"],
];

/** The nodes for a text. */
export function markdown(text) {
  if (text.length > LONGEST) return [element("pre", [text])];
  // With a fence that is still open, the rest of the text is code.
  return text.split(/^```/m).flatMap((part, n) => (n % 2 === 1 ? [codeBlock(part)] : lines(part)));
}

function lines(text) {
  const nodes = [];
  let paragraph = null;
  for (const line of text.split("\n")) {
    const [pattern, build, list] = BLOCKS.find(([pattern]) => pattern.test(line)) ?? [];
    if (pattern) {
      paragraph = null;
      const node = build(line.match(pattern));
      if (!list) nodes.push(node);
      else if (nodes.at(-1)?.localName === list) nodes.at(-1).append(node);
      else nodes.push(element(list, [node]));
    } else if (line.trim() === "") {
      paragraph = null;
    } else if (paragraph) {
      paragraph.append("\n", ...inline(line));
    } else {
      paragraph = element("p", inline(line));
      nodes.push(paragraph);
    }
  }
  return nodes;
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return element("code", [part.slice(1, -1)]);
    if (/^\*\*[^*]+\*\*$/.test(part)) return element("strong", [part.slice(2, -2)]);
    return part;
  });
}

function codeBlock(part) {
  return element("pre", [part.replace(/^.*\n?/, "").replace(/\n$/, "")]);
}

function element(name, children) {
  const node = document.createElement(name);
  node.append(...children);
  return node;
}
