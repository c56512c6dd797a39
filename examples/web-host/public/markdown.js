// The parts of Markdown that answers are full of: headings, lists, tables, code, links. Builds DOM nodes, never HTML text.

/** What a line starts, by its pattern. An item is collected in an element of the second name. */
const LINES = [
  [/^(#{1,6})\s+(.*)/, ([, marks, text]) => element(`h${Math.min(marks.length + 2, 6)}`, inline(text))],
  [/^\s*[-*]\s+(.*)/, ([, text]) => element("li", inline(text)), "ul"],
  [/^\s*(\d+)[.)]\s+(.*)/, ([, number, text]) => Object.assign(element("li", inline(text)), { value: number }), "ol"],
  [/^>\s?(.*)/, ([, text]) => element("p", inline(text)), "blockquote"],
  [/^\|[\s:|-]+\|\s*$/, () => "", "table"],
  [/^\|(.*)\|\s*$/, ([, cells]) => element("tr", cells.split("|").map((cell) => element("td", inline(cell.trim())))), "table"],
  [/^\s*---+\s*$/, () => element("hr", [])],
];

const INLINE = [
  [/^`([^`]+)`$/, ([, text]) => element("code", [text])],
  [/^\*\*([^*]+)\*\*$/, ([, text]) => element("strong", [text])],
  [/^\[([^\]]+)\]\((https?:[^)\s]+)\)$/, ([, text, href]) => Object.assign(element("a", [text]), { href, target: "_blank", rel: "noreferrer" })],
];

/** The nodes for a text. */
export function markdown(text) {
  // With a fence that is still open, the rest of the text is code.
  return text.split(/^\s*```/m).flatMap((part, n) => (n % 2 === 1 ? [codeBlock(part)] : lines(part)));
}

function lines(text) {
  const nodes = [];
  let paragraph = null;
  for (const line of text.split("\n")) {
    const [pattern, build, collection] = LINES.find(([pattern]) => pattern.test(line)) ?? [];
    if (pattern) {
      paragraph = null;
      const node = build(line.match(pattern));
      if (!collection) nodes.push(node);
      else if (nodes.at(-1)?.localName === collection) nodes.at(-1).append(node);
      else nodes.push(element(collection, [node]));
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
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\(https?:[^)\s]+\))/).map((part) => {
    const [pattern, build] = INLINE.find(([pattern]) => pattern.test(part)) ?? [];
    return pattern ? build(part.match(pattern)) : part;
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
