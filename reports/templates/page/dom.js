// Elements are made of text nodes only, so that nothing an agent wrote can become markup.

/** The text with control characters and changes of writing direction made visible. Line breaks stay where `lines` is set. */
const visible = (text, lines = false) =>
  String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) =>
    lines && char === "\n" ? char : `\\u{${char.codePointAt(0).toString(16)}}`);

/** A name between backticks, where no other backtick is near: those of an agent stay as they are. */
const QUOTED = /(?<=^|[\s(])`([^`]+)`(?=[\s,.;:)]|$)/;

/** A text of conform: the names between backticks are code. */
const marked = (text) => String(text).split(QUOTED).map((part, n) => (n % 2 === 0 ? part : el("code", {}, part)));

/** A text of several paragraphs: its line breaks mean nothing, except in indented lines. */
const paragraphs = (text) =>
  text.split(/\n{2,}/).filter((part) => part.trim()).map((part) => {
    if (!/^\s/.test(part)) return el("p", {}, marked(part.replace(/\s+/g, " ")));
    const sample = el("pre", { class: "sample" });
    sample.textContent = visible(part.replace(/^\n+|\s+$/g, ""), true);
    return sample;
  });

/** Makes an element. Functions among the attributes are listeners; `undefined`, `false` and `null` are left out. */
const el = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  add(node, children);
  return node;
};

const add = (node, children) => {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : visible(child));
  }
};

const count = (number, noun, plural = `${noun}s`) => `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;

const className = (word) => word.replaceAll(/[_ ]/g, "-");

/** A duration in a readable unit. */
const duration = (micros) => {
  if (micros < 1000) return `${micros} µs`;
  if (micros < 100_000) return `${(micros / 1000).toFixed(1)} ms`;
  if (micros < 1_000_000) return `${Math.floor(micros / 1000)} ms`;
  return `${(micros / 1_000_000).toFixed(2)} s`;
};

/** Says something to readers of the screen. */
const announce = (text) => {
  document.getElementById("announce").textContent = text;
};

/** For how long a button says what it has done, in milliseconds. */
const SAYS_DONE = 2000;

/** A command, and a button that copies it. */
const copyable = (text) => {
  const command = el("code", {}, text);
  const button = el("button", {
    type: "button",
    class: "quiet",
    "aria-label": `Copy the command ${text}`,
    click: async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(command);
        button.textContent = "selected";
      }
      announce(button.textContent);
      setTimeout(() => (button.textContent = "copy"), SAYS_DONE);
    },
  }, "copy");
  return el("span", { class: "copyable" }, command, button);
};

/** A `details` element whose content is made when it is opened for the first time. Its summary has the id: a link focuses it. */
const lazyDetails = ({ id, ...attributes }, summary, content) => {
  let made = false;
  const details = el("details", attributes, el("summary", { id }, summary));
  details.fill = () => {
    if (made) return;
    made = true;
    add(details, [content()]);
  };
  details.addEventListener("toggle", () => details.open && details.fill());
  return details;
};
