// Files of many sets: asked in portions, shown, and given back as CSV.

import { post } from "./api.js";
import { button, byId, count, h, many, noun, percent, save, table, trouble } from "./dom.js";
import { chooseColumns, readFiles } from "./files.js";
import { ambiguousOf, ColumnsError, toCsv, unknownOf } from "./parse.js";

const PORTION = 100; // sets a request
const SHOWN = 100;
const TRIES = 4;

const asked = ({ nodes, excluded }) => ({ nodes, excluded });
const bytes = (entry) => new TextEncoder().encode(JSON.stringify(asked(entry))).length + 1;

/** Cuts sets into requests within the limits; marks sets that never fit. */
function portions(entries, limits) {
  const most = Math.min(PORTION, limits.subgraphs);
  const parts = [];
  let room = 0;
  for (const entry of entries.filter(({ error }) => !error)) {
    const [size, members] = [bytes(entry), entry.nodes.length + entry.excluded.length];
    if (members > limits.nodes) {
      entry.error = `The set has ${count(members)} nodes; at most ${count(limits.nodes)} go.`;
    } else if (size > limits.body_bytes - 100) {
      entry.error = "The set is larger than a request may be.";
    } else {
      if (size > room || parts.at(-1).length === most) {
        parts.push([]);
        room = limits.body_bytes - 100;
      }
      parts.at(-1).push(entry);
      room -= size;
    }
  }
  return parts;
}

/** One file being worked on: its part of the page and its requests. */
class Job {
  constructor(root, { model, name, format, entries, notes, onOne }) {
    Object.assign(this, { model, name, entries, onOne });
    this.queue = portions(entries, model.limits);
    this.control = new AbortController();
    this.bar = h("progress", { max: entries.length, value: 0, "aria-label": "Sets answered" });
    this.line = h("p.line", { role: "status" });
    this.stop = button("button", "Cancel", () => this.control.abort());
    this.save = button("button.primary", "Download CSV", () => this.download());
    this.problem = h("div");
    this.table = h("div");
    const [members, absent] = ["nodes", "excluded"].map((part) =>
      entries.reduce((sum, entry) => sum + entry[part].length, 0));
    root.replaceChildren(h("h3.file", name),
      h("p.soft", `${format}, ${many(entries.length, "set")}, ${many(members, "member")}`,
        absent ? `, ${count(absent)} excluded` : ""),
      notes.length ? h("p.hint", notes.join(" ")) : "",
      this.bar, this.line, h("div.row", this.save, this.stop), this.problem, this.table);
  }

  async run() {
    this.problem.replaceChildren();
    this.stop.hidden = false;
    this.show(false);
    try {
      while (this.queue.length) {
        await this.ask(this.queue[0]);
        this.show(false);
      }
    } catch (error) {
      const stopped = error.name === "AbortError";
      if (!stopped) this.problem.replaceChildren(trouble(error, () => this.run()));
    }
    this.stop.hidden = true;
    this.show(true);
  }

  /** Asks one portion; of one that is refused, the bad set is taken out or it is halved. */
  async ask(part) {
    try {
      const answers = await this.post(part);
      this.queue.shift();
      part.forEach((entry, i) => (entry.answer = answers[i]));
    } catch (error) {
      if (![400, 413, 422, 504].includes(error.status)) throw error;
      this.queue.shift();
      const named = /^subgraphs\[(\d+)\]/.exec(error.field || "");
      const place = part.length === 1 ? 0 : named && Number(named[1]);
      if (part[place]) {
        part[place].error = error.message;
        part.splice(place, 1);
        if (part.length) this.queue.unshift(part);
      } else this.queue.unshift(part.splice(0, part.length >> 1), part);
    }
  }

  /** The answers to one portion; while the service is busy, waits and tries again. */
  async post(part) {
    const body = { subgraphs: part.map(asked), unknown_nodes: "drop" };
    const { signal } = this.control;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await post("v1/predict", body, signal)).predictions;
      } catch (error) {
        if (!error.passing || attempt === TRIES) throw error;
        this.line.textContent = `${error.message} Trying again.`;
        const wait = Math.min(30, error.wait || 0.25 * 2 ** attempt);
        await new Promise((done) => {
          setTimeout(done, 1000 * wait);
          signal.addEventListener("abort", done);
        });
        signal.throwIfAborted();
      }
    }
  }

  show(ended) {
    const ready = this.entries.filter(({ answer, error }) => answer || error);
    const bad = ready.filter(({ answer }) => !answer).length;
    const all = this.entries.length;
    this.bar.value = ready.length;
    this.save.hidden = !ended || !ready.length;
    this.line.textContent = `${count(ready.length - bad)} of ${many(all, "set")} answered` +
      `${bad ? `, ${count(bad)} with an error` : ""}.` +
      `${ended && ready.length < all ? " Stopped before the end." : ""}`;
    const head = ["Set", "Prediction", "Probability", "Spread", `${noun("members")} known`];
    const rows = ready.slice(0, SHOWN).map((entry) => tableRow(entry, this.onOne));
    const more = `The first ${SHOWN} of ${count(ready.length)} are shown; the CSV has all.`;
    this.table.replaceChildren(
      h("div.scroll", { role: "region", "aria-label": "Answers", tabindex: 0 },
        table("table.answers", head, rows)),
      h("p.hint", ready.length > SHOWN ? more : ""));
  }

  download() {
    const name = this.name.replace(/\.[^.]*$/, "");
    save(toCsv(this.entries, this.model.classes), "text/csv", `${name}-predictions.csv`);
  }
}

/** One set and its answer; its name opens it where one set is asked and explained. */
function tableRow(entry, onOne) {
  const { id, answer, error } = entry;
  if (!answer) return h("tr", h("th", { scope: "row" }, id), h("td.bad", { colspan: 4 }, error));
  const open = button("button.plain", id, () => onOne(entry));
  open.title = "Show why, and what is similar";
  const first = h("th", { scope: "row" }, open);
  const { labels, probabilities, spread, known } = answer;
  const [lost, several] = [unknownOf(answer).length, ambiguousOf(answer).length];
  const left = [lost && `${count(lost)} unknown`, several && `${count(several)} ambiguous`];
  const why = left.filter(Boolean).join(", ");
  const shown = (value) => (value === null ? "one seed" : percent(value ?? 0));
  const each = (values) => labels.map((label) => shown(values[label])).join("; ") || "–";
  return h("tr", first, h("td", labels.join("; ") || "none probable enough"),
    h("td.number", each(probabilities)), h("td.number", each(spread)),
    h("td.number", percent(known), why ? ` (${why})` : ""));
}

/** Wires files: `getModel` gives the model or null; sets are for `onSets`, one case `onCase`. */
export function createBatch({ getModel, onSets, onCase }) {
  const [root, zone, input] = [byId("batch"), byId("drop"), byId("file")];
  let job = null;

  async function take(files, chosen) {
    if (job) job.control.abort();
    const name = files.length === 1 ? files[0].name : `${count(files.length)} files`;
    try {
      const model = getModel();
      if (!model) throw new Error("The service has not answered yet; try again later.");
      const { isCase, ...sets } = await readFiles(files, model.limits, chosen);
      if (isCase) return onCase(sets.entries[0]);
      onSets();
      job = new Job(root, { model, name, onOne: onCase, ...sets });
    } catch (error) {
      onSets();
      const more = error instanceof ColumnsError
        ? chooseColumns(error, (places) => take(files, places))
        : trouble(error);
      return root.replaceChildren(h("h3.file", name), more);
    }
    job.run();
  }

  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";
    if (files.length) take(files);
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    addEventListener(name, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.toggle("over", name === "dragover");
      const files = [...event.dataTransfer.files];
      if (name === "drop" && files.length) take(files);
    });
  }
}
