// Elements from data (always as text, never as markup), numbers in words, colours.

function build(node, name, rest) {
  const [, ...classes] = name.split(".");
  if (classes.length) node.setAttribute("class", classes.join(" "));
  const plain = rest[0] && Object.getPrototypeOf(rest[0]) === Object.prototype;
  for (const [key, value] of Object.entries(plain ? rest.shift() : {})) {
    if (key === "css") for (const pair of Object.entries(value)) node.style.setProperty(...pair);
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...rest.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element: h("p.hint", {id: "x"}, children…), or without attributes. */
export const h = (name, ...rest) =>
  build(document.createElement(name.split(".")[0]), name, rest);
export const svg = (name, ...rest) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", name.split(".")[0]), name, rest);
export const byId = (id) => document.getElementById(id);
export const button = (name, text, onclick) => h(name, { type: "button", onclick }, text);

const whole = new Intl.NumberFormat("en");
export const count = (number) => whole.format(number);

/** Nouns of the model: "member" may be "phenotype", and "members" is then "phenotypes". */
export const words = {};
export const noun = (word) => words[word] ?? word;
export const many = (number, word) =>
  `${count(number)} ${noun(number === 1 ? word : `${word}s`)}`;
export const percent = (share) => `${(100 * share).toFixed(1)}%`;
export const weight = (value) => (value === null ? "–" : whole.format(value.toPrecision(4)));

/** A signed number of percentage points. */
export function points(share, digits = 1) {
  const text = Math.abs(100 * share).toFixed(digits);
  return Number(text) === 0 ? text : (share < 0 ? "−" : "+") + text;
}

/** A colour for each label: of more than ten classes, for the commonest shown. */
export function colouring(classes, shown) {
  let coloured = classes;
  if (classes.length > 10) {
    const often = new Map();
    for (const label of shown) often.set(label, (often.get(label) || 0) + 1);
    coloured = [...often.keys()].sort((a, b) => often.get(b) - often.get(a) || (a < b ? -1 : 1));
  }
  return (label) => {
    const place = coloured.indexOf(label);
    return place < 0 || place > 9 ? "grey" : `c${place}`;
  };
}

export const paint = (colour) => ({ css: { "--c": `var(--${colour})` } });
export const tag = (text, colour) => h("span.tag", h("span.dot", paint(colour)), text);
export const tags = (labels, colour) =>
  h("span.tags", labels.length ? labels.map((label) => tag(label, colour(label))) : "no label");

/** A title with the id beside it, or the id alone. */
export const named = (id, title) =>
  title && title !== id
    ? [h("span.title", title), " ", h("span.id", id)]
    : [h("span.title", id)];

export function table(name, head, rows) {
  const cells = head.map((text) => h("th", { scope: "col" }, text));
  return h(name, h("thead", h("tr", cells)), h("tbody", rows));
}

/** A list that shows its first rows, the rest behind a button. */
export function folded(rows, most, name, label, what) {
  const list = h(name, { "aria-label": label }, rows);
  if (rows.length <= most + 1) return [list];
  const rest = rows.slice(most);
  const more = button("button.plain.more", "", () => fold(more.ariaExpanded === "true"));
  const fold = (close) => {
    if (close) rest.forEach((row) => row.remove());
    else list.append(...rest);
    more.setAttribute("aria-expanded", String(!close));
    more.textContent = close ? `Show all ${count(rows.length)} ${what}` : "Show fewer";
  };
  fold(true);
  return [list, more];
}

/** Gives the reader a file. */
export function save(text, type, name) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

/** What went wrong, in words, with a button to try again. */
export const trouble = (error, again) =>
  h("div.trouble", { role: "alert" }, h("p", error.message),
    again ? button("button", "Try again", again) : null);
