// Elements are made of text nodes only, so that nothing an agent wrote can become markup.

/** The text with control characters and changes of writing direction made visible. Line breaks stay where `lines` is set. */
const visible = (text, lines = false) =>
  String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) =>
    lines && char === "\n" ? char : `\\u{${char.codePointAt(0).toString(16)}}`);

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
  if (micros < 1_000_000) return `${(micros / 1000).toFixed(1)} ms`;
  return `${(micros / 1_000_000).toFixed(2)} s`;
};

/** A button that copies a command. */
const copyable = (text) =>
  el("span", { class: "copyable" },
    el("code", {}, text),
    el("button", {
      type: "button",
      class: "quiet",
      title: "Copy the command",
      click: async (event) => {
        const button = event.currentTarget;
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "copied";
        } catch {
          getSelection().selectAllChildren(button.previousSibling);
          button.textContent = "selected";
        }
      },
    }, "copy"));

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
