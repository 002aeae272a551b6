// The page: what the model is, one set asked and explained, many sets from a file.

import { bestFirst, byProbability, choices, showAnswer, showSimilar, showWhy } from "./answer.js";
import { get, keepToken, onTokenNeeded, post, tokenGiven } from "./api.js";
import { createBatch } from "./batch.js";
import { button, byId, colouring, count, h, many, noun } from "./dom.js";
import { percent, save, trouble, words } from "./dom.js";
import { showGraph } from "./graph.js";
import { createPicker } from "./picker.js";

const LONGEST_LINK = 4000; // characters
const TITLED = 20; // excluded ids whose titles are looked up
const SIMILAR = 5; // known subgraphs, as many as in a case report

let model = null;
let asked = null; // the question of the answer that is shown
let control = new AbortController();

const body = (part) => byId(part).querySelector(".body");
const on = (id, event, act) => byId(id).addEventListener(event, act);
const say = (id, text) => (byId(id).textContent = text);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// ---- the model

function showModel() {
  const { name, structure, conv, seeds, validation, classes } = model;
  Object.assign(words, model.words, { "known subgraph": `known ${model.words.subgraph}` });
  words["known subgraphs"] = `known ${words.subgraphs}`;
  for (const part of document.querySelectorAll("[data-word]"))
    part.textContent = noun(part.textContent);
  document.title = `${name} – sub2node`;
  say("model-name", name);
  say("question", model.question);
  say("caution", model.caution);
  byId("not-read").hidden = model.reads_excluded;
  const kind = model.multilabel ? ["several", "labels"] : ["one", "label"];
  const few = `a set has ${kind[0]} ${noun(kind[1])}`;
  say("model-kind", [structure, conv, many(seeds, "trained model"), few].filter(Boolean).join(", "));
  const facts = [
    [noun("members"), count(model.nodes)],
    ["edges", count(model.edges)],
    [noun("known subgraphs"), count(model.known_subgraphs)],
    [noun("labels"), count(classes.length)],
  ];
  const { micro_f1: share } = validation; // with one label each, the share of right answers
  if (share !== undefined)
    facts.push([model.multilabel ? "validation micro-F1" : "right on validation", percent(share)]);
  const tile = ([what, value]) => h("div", h("dt", what), h("dd", value));
  byId("facts").replaceChildren(...facts.map(tile));
  const examples = model.examples.map(({ id, title, nodes }) => {
    const words = [h("span.title", title || id), h("span.soft", many(nodes.length, "member"))];
    return button("button.example", words, () => askFor(nodes));
  });
  byId("examples").replaceChildren(...examples);
  byId("examples-title").hidden = !examples.length;
}

async function loadModel() {
  byId("trouble").replaceChildren();
  try {
    model = await get("v1/model");
  } catch (error) {
    if (error.status === 401) return;
    say("model-name", "No model yet");
    byId("trouble").replaceChildren(trouble(error, loadModel));
    return;
  }
  byId("token-form").hidden = true;
  byId("work").hidden = false;
  showModel();
  fromLink();
}

onTokenNeeded(() => {
  say("token-note", tokenGiven() ? "The service does not accept this token." : "");
  if (!model) say("model-name", "A token, please");
  byId("work").hidden = !model;
  byId("token-form").hidden = false;
  byId("token").focus();
});

on("token-form", "submit", (event) => {
  event.preventDefault();
  const token = byId("token").value.trim();
  if (!/^[!-~]+$/.test(token)) {
    say("token-note", "A token is ASCII letters, digits and signs, without spaces.");
    return;
  }
  keepToken(token);
  say("token-note", "");
  byId("token").value = "";
  byId("token-form").hidden = Boolean(model);
  if (!model) loadModel();
});

// ---- one set

const picker = createPicker({
  onChange(nodes) {
    byId("ask").disabled = byId("share").disabled = !nodes.length;
    byId("stale").hidden = !asked || same(question(), asked);
    say("ask-note", "");
  },
  onAsk: () => ask(),
});

function askFor(nodes, excluded = []) {
  picker.set(nodes, excluded);
  ask();
}

const question = () =>
  ({ nodes: picker.nodes(), excluded: picker.excluded(), unknown_nodes: "drop" });

/** Runs one request for one part of the page, with its own trouble. */
async function fill(part, path, query, show) {
  const mine = control;
  const section = byId(part);
  section.hidden = false;
  section.setAttribute("aria-busy", "true");
  try {
    const answer = await post(path, query, mine.signal);
    if (mine === control) show(answer);
  } catch (error) {
    if (mine !== control) return;
    const again = error.status === 422 ? null : () => fill(part, path, query, show);
    const asks = part === "answer" ? choices(error.candidates, onChoose) : [];
    error.message = error.message.replace("node of subgraph '0'", `${noun("member")} of your set`);
    body(part).replaceChildren(...(asks.length ? asks : [trouble(error, again)]));
    if (part === "answer") {
      say("said", "");
      byId("report").hidden = true;
    }
    for (const follower of { answer: ["why", "graph", "similar"], why: ["graph"] }[part] || [])
      byId(follower).hidden = true;
  }
  section.removeAttribute("aria-busy");
}

/** Looks up how excluded ids are called; members are called by their explanation. */
async function learnTitles() {
  for (const id of picker.untitled().slice(0, TITLED)) {
    const query = `v1/nodes?q=${encodeURIComponent(id)}&count=1`;
    const { nodes } = await get(query, control.signal).catch(() => ({ nodes: [] }));
    picker.learn(nodes.filter((node) => node.id === id));
  }
}

/** Takes a node for an ambiguous name, and asks again. */
function onChoose(given, id, title) {
  picker.replace(given, id, title);
  ask();
}

function ask() {
  const nodes = picker.nodes();
  if (!nodes.length) {
    say("ask-note", `Pick at least one ${noun("member")} first.`);
    byId("search").focus();
    return;
  }
  control.abort();
  control = new AbortController();
  asked = question();
  byId("welcome").hidden = byId("stale").hidden = true;
  toLink();
  learnTitles();
  say("said", "Asking the model.");
  fill("answer", "v1/predict", asked, ({ predictions: [prediction] }) => {
    const order = byProbability(prediction);
    picker.learn(prediction.mapping.map(({ given: id, title }) => ({ id, title })));
    const number = nodes.length + asked.excluded.length;
    const on = { onFind: picker.search, onChoose };
    byId("report").hidden = false;
    showAnswer(body("answer"), prediction, { model, asked: number, ...on });
    say("said", body("answer").querySelector(".verdict").textContent);
    byId("why-class").replaceChildren(...order.map(([name, share]) =>
      h("option", { value: name }, `${name} (${percent(share)})`)));
    explain(bestFirst(prediction)[0] ?? order[0][0], true);
    fill("similar", "v1/neighbors", { ...asked, count: SIMILAR }, ({ neighbors }) => {
      const labels = neighbors.flatMap((one) => one.labels);
      const label = model.multilabel ? "labels" : "label";
      showSimilar(body("similar"), neighbors, colouring(model.classes, labels), label);
    });
  }).then(() => {
    const { top } = byId("answer").getBoundingClientRect();
    if (top > 0.7 * innerHeight) byId("answer").scrollIntoView();
  });
}

/** Explains one class; the graph is drawn with the first. */
function explain(label, first) {
  byId("why-class").value = label;
  if (first) byId("graph").hidden = true;
  fill("why", "v1/explain", { ...asked, label }, (answer) => {
    if (byId("why-class").value !== label) return; // another one was chosen meanwhile
    const { graph, members, neighbors } = answer;
    const colour = colouring(model.classes, graph.nodes.flatMap((node) => node.labels));
    picker.learn(members);
    showWhy(body("why"), answer, colour);
    if (!first && !byId("graph").hidden) return;
    byId("graph").hidden = !graph.nodes.length;
    showGraph(body("graph"), graph, colour, neighbors.length);
  });
}

on("report", "click", async () => {
  try {
    const page = await post("v1/report", asked);
    save(page, "text/html", "case-report.html");
  } catch (error) {
    body("answer").append(trouble(error));
  }
});
on("open", "click", () => byId("file").click());
on("why-class", "change", (event) => explain(event.target.value, false));
on("again", "click", ask);
on("ask-form", "submit", (event) => {
  event.preventDefault();
  ask();
});

// ---- links

const inLink = (name, ids) => (ids.length ? [`${name}=${ids.map(encodeURIComponent).join(",")}`] : []);
const fromPart = (hash, name) => (new RegExp(`[#&]${name}=([^&]*)`).exec(hash)?.[1] ?? "")
  .split(",").filter(Boolean).map(decodeURIComponent);

function toLink() {
  const parts = [...inLink("nodes", picker.nodes()), ...inLink("excluded", picker.excluded())];
  const hash = `#${parts.join("&")}`;
  const fits = hash.length <= LONGEST_LINK;
  history.replaceState(null, "", fits ? hash : location.pathname + location.search);
  return fits;
}

/** Takes the set that the address names, if it names one. */
function fromLink() {
  const { hash } = location;
  if (!hash.startsWith("#nodes=") || !model) return;
  try {
    if (hash.length > LONGEST_LINK) throw new Error("too long");
    const [nodes, excluded] = [fromPart(hash, "nodes"), fromPart(hash, "excluded")];
    const there = same(nodes, asked?.nodes) && same(excluded, asked?.excluded);
    if (!nodes.length || there) return;
    openTab("one");
    askFor(nodes, excluded);
  } catch {
    say("ask-note", "The link is broken; its nodes cannot be read.");
  }
}
addEventListener("hashchange", fromLink);

on("share", "click", async () => {
  const fits = toLink();
  try {
    if (fits) await navigator.clipboard.writeText(location.href);
    say("ask-note", fits ? "Link copied." : "The set is too long for a link. Share the list itself.");
  } catch {
    say("ask-note", "The address of this page is the link; copy it from there.");
  }
});

// ---- tabs and the file

const tabs = ["one", "many"];

function openTab(name, focus) {
  for (const panel of tabs) {
    const tab = byId(`tab-${panel}`);
    tab.setAttribute("aria-selected", String(panel === name));
    tab.tabIndex = panel === name ? 0 : -1;
    byId(panel).hidden = panel !== name;
    if (panel === name && focus) tab.focus();
  }
}

tabs.forEach((name, place) => {
  on(`tab-${name}`, "click", () => openTab(name));
  on(`tab-${name}`, "keydown", ({ key }) => {
    if (key === "ArrowLeft" || key === "ArrowRight") openTab(tabs[1 - place], true);
  });
});
createBatch({
  getModel: () => model,
  onSets: () => openTab("many"),
  onCase({ nodes, excluded }) {
    openTab("one");
    askFor(nodes, excluded);
  },
});
loadModel();
