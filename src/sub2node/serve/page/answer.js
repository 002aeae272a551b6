// The answer: probabilities of classes, what speaks for one of them, and similar subgraphs.

import { button, count, folded, h, many, named } from "./dom.js";
import { noun, percent, points, table, tags } from "./dom.js";
import { ambiguousOf, unknownOf } from "./parse.js";

const SHOWN = 10;
const SHARED = 6; // names of shared members
const HOW = { case: "its id in another case" }; // other kinds of names are called as they are
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const track = (...inside) => h("span.track", { "aria-hidden": "true" }, inside);

// ---- classes

export const byProbability = ({ probabilities }) =>
  Object.entries(probabilities).sort((a, b) => b[1] - a[1]);

/** The predicted labels, the most probable first. */
export const bestFirst = ({ labels, probabilities }) =>
  [...labels].sort((a, b) => probabilities[b] - probabilities[a]);

/** One class; `spread` is null where the model has one seed. */
function classBar(name, share, spread, chosen) {
  const [low, high] = [Math.max(0, share - spread), Math.min(1, share + spread)];
  const whisker = { left: percent(low), width: percent(high - low) };
  const lone = spread === null;
  return h(chosen ? "li.bar.chosen" : "li.bar", h("span.name", name),
    track(h("span.fill", { css: { width: percent(share) } }),
      lone ? null : h("span.whisker", { css: whisker })),
    h("span.value", percent(share),
      lone ? null : h("span.soft", ` ± ${(100 * spread).toFixed(1)}`)));
}

function verdict(prediction) {
  const labels = bestFirst(prediction);
  if (labels.length) {
    return h("p.verdict", labels.map((label) =>
      h("span", h("strong", label), ` ${percent(prediction.probabilities[label])} `)));
  }
  const [[name, share]] = byProbability(prediction);
  return h("p.verdict.none", `No ${noun("label")} is probable enough. The nearest is `, h("strong", name),
    ` with ${percent(share)}.`);
}

const chipOf = (name, inside, title, act) => {
  const chip = button(name, inside, act);
  chip.title = title;
  return h("li", chip);
};

/** Nodes that an ambiguous name may mean, [id, title] each, to choose one. */
function choice(given, nodes, onChoose) {
  const chips = nodes.map(([id, title]) =>
    chipOf("button.chip", named(id, title), `Take it for ${given}`, () => onChoose(given, id, title)));
  return [h("p", "“", h("b", given), `” may mean one of several. Which?`),
    ...folded(chips, 8, "ul.chips.open", `What ${given} may mean`, "of them")];
}

/** The choices of a refusal, by name. */
export const choices = (candidates, onChoose) => Object.entries(candidates ?? {})
  .map(([given, nodes]) =>
    h("div.known", choice(given, nodes.map(({ id, title }) => [id, title]), onChoose)));

/** What was understood of the names, what is unknown, and what must be asked. */
function knownNodes(prediction, asked, { onFind, onChoose }) {
  const { unknown, mapping } = prediction;
  const all = asked === 1 ? `The ${noun("member")} is` : `All ${many(asked, "member")} are`;
  const parts = [unknown.length
    ? h("p", `${count(asked - unknown.length)} of ${many(asked, "member")} are in the graph.`)
    : h("p.soft", `${all} in the graph.`)];
  const lost = unknownOf(prediction).map((name) =>
    chipOf("button.chip.lost", name, "Search for it", () => onFind(name)));
  if (lost.length) {
    parts.push(h("p", "Left out, because the graph does not have them:"),
      ...folded(lost, 12, "ul.chips.open", "Unknown", "unknown ones"));
  }
  for (const { given, candidates, candidate_titles: titles } of ambiguousOf(prediction))
    parts.push(...choice(given, candidates.map((id, at) => [id, titles[at]]), onChoose));
  const found = mapping.filter(({ node_id: id }) => id).map(({ given, node_id: id, title, how }) =>
    h("li", "“", given, "” is ", named(id, title), h("span.soft", ` (${HOW[how] ?? how})`)));
  if (found.length)
    parts.push(...folded(found, 4, "ul.understood", "What names mean", "names that were understood"));
  return h("div.known", parts);
}

/** Warnings; unknown nodes are listed anyway. */
const doubts = ({ warnings }) => warnings.filter(({ kind }) => kind !== "unknown-nodes")
  .map(({ text }) => h("p.doubt", `Warning: ${text}.`));

export function showAnswer(root, prediction, { model, asked, ...on }) {
  const { labels, spread, doubt } = prediction;
  const rows = byProbability(prediction).map(([name, share]) =>
    classBar(name, share, spread[name] ?? null, labels.includes(name)));
  const seeds = model.seeds > 1
    ? `Mean of ${count(model.seeds)} trained models; ± and the thin line are their standard deviation.`
    : "One seed: no spread, so nothing here says how uncertain the answer is.";
  root.replaceChildren(verdict(prediction), knownNodes(prediction, asked, on),
    ...doubts(prediction),
    ...folded(rows, SHOWN, "ul.bars", "Ranked", noun("labels")),
    h("p.hint", `${seeds} Doubt ${doubt.toFixed(2)}, between 0 (certain) and 1 (all equally likely).`));
}

// ---- contributions

function diverging({ id, title, labels, contribution }, most, colour) {
  const share = most > 0 ? Math.abs(contribution) / most / 2 : 0;
  const minus = contribution < 0;
  const css = { width: percent(share), left: percent(minus ? 0.5 - share : 0.5) };
  const known = labels && labels.length ? tags(labels, colour) : null;
  return h("li.bar.both", h("span.name", named(id, title), known),
    track(h(minus ? "span.fill.minus" : "span.fill.plus", { css })),
    h("span.value", points(contribution)));
}

function side(title, entries, most, colour, what, none) {
  if (!entries.length) return h("div", h("h3", title), h("p.soft", none));
  const rows = [...entries]
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
    .map((entry) => diverging(entry, most, colour));
  return h("div", h("h3", title), folded(rows, SHOWN, "ul.bars", title, what));
}

export function showWhy(root, answer, colour) {
  const { members, neighbors, label, joins, baseline, probability, statistics, border, gap } = answer;
  const most = Math.max(0, ...[...members, ...neighbors].map((one) => Math.abs(one.contribution)));
  const none = `None: no known ${noun("subgraph")} is joined to this set strongly enough.`;
  const rest = (statistics ?? 0) + gap;
  const shape = Math.abs(rest) < 0.0005 ? "" : ` and ${points(rest)} for its shape`;
  const around = (border ?? null) === null ? "" : ` and ${points(border)} for what lies around it`;
  root.replaceChildren(
    h("p.soft.sum", `An empty set has ${percent(baseline)}${shape}${around}. Every bar, in percentage points, ` +
      `adds to that (right) or takes from it (left): together ${percent(probability)} for ${label}.`),
    h(joins ? "div.sides" : "div.sides.lone",
      side(capital(noun("members")), members, most, colour, noun("members"), "None."),
      joins ? side(`Known ${noun("subgraphs")} joined to it`, neighbors, most, colour, "neighbours", none)
        : null));
}

// ---- similar subgraphs

/** The first of some names, and how many more there are. */
const listed = (names) => names.slice(0, SHARED).join(", ") +
  (names.length > SHARED ? ` and ${count(names.length - SHARED)} more` : "");

export function showSimilar(root, neighbors, colour, label) {
  const rows = neighbors.map(({ id, title, labels, similarity, shared, size }) =>
    h("tr", h("th", { scope: "row" }, named(id, title)), h("td", tags(labels, colour)),
      h("td.shared", h("span.soft", `${count(shared.length)} of ${count(size)} shared`),
        shared.length ? `: ${listed(shared)}` : ""),
      h("td.number", similarity.toFixed(2),
        track(h("span.fill", { css: { width: percent(Math.max(0, similarity)) } })))));
  const head = [noun("subgraph"), noun(label), noun("members"), "Similarity"];
  root.replaceChildren(table("table.similar", head, rows),
    h("p.hint", "Cosine of the vectors that the model has for two sets: 1 is alike, −1 the opposite."));
}
