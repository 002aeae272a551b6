// Files as the reader gives them: texts are read here, other formats by the service.

import { send } from "./api.js";
import { button, h, noun } from "./dom.js";
import { ColumnsError, findColumns, readPhenopackets, readSets } from "./parse.js";

// Parquet, zip (and so Excel), gzip, Zstandard
const PACKED = /^(PAR1|PK\x03\x04|\x1f\x8b|\x28\xb5\x2f\xfd)/;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** A file that the service reads: its sets, once it is sent. */
async function upload(file, limits, chosen) {
  if (file.size > limits.body_bytes) {
    throw new Error(`This file has ${megabytes(file.size)}, and the service reads at most ` +
      `${megabytes(limits.body_bytes)} of its format. Give it as CSV, or ask on the command line: ` +
      "s2n predict MODEL FILE -o answers.csv");
  }
  const query = new URLSearchParams({ name: file.name });
  if (chosen) {
    for (const [at, ours] of ["subgraph_id", "node_id", "excluded"].entries())
      if (chosen[at] >= 0) query.set(ours, chosen.columns[chosen[at]]);
  }
  try {
    const { sets, notes } = await send(`v1/sets?${query}`, file);
    const end = file.name.toLowerCase().split(".").pop();
    const format = end === "zip" ? "phenopacket" : end.toUpperCase();
    const entries = sets.map(({ error, ...one }) =>
      (error ? { ...one, error: error[0].toUpperCase() + error.slice(1) } : one));
    return { format, entries, notes };
  } catch (error) {
    throw error.columns ? new ColumnsError(error.columns, []) : error;
  }
}

async function readFile(file, limits, chosen) {
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 4).arrayBuffer()));
  if (PACKED.test(head)) return upload(file, limits, chosen);
  const text = await file.text();
  if (text.includes("\0")) {
    throw new Error("This file is no text. Give CSV, TSV, JSONL, GMT, GMX, Excel (.xlsx), Parquet, " +
      "or phenopackets (.json, .zip).");
  }
  const packets = readPhenopackets(file.name, text);
  return packets ? { format: "phenopacket", entries: packets } : readSets(file.name, text, chosen);
}

/** The sets of one file or of several; `isCase` where all there is is one phenopacket. */
export async function readFiles(files, limits, chosen) {
  const [formats, entries, notes] = [new Set(), [], []];
  for (const file of files) {
    try {
      const found = await readFile(file, limits, chosen);
      formats.add(found.format);
      for (const entry of found.entries) entries.push(entry);
      notes.push(...(found.notes ?? []));
    } catch (error) {
      if (files.length === 1) throw error;
      entries.push({ id: file.name, nodes: [], excluded: [], error: error.message });
    }
  }
  const format = [...formats].join(", ");
  const isCase = entries.length === 1 && format === "phenopacket" && !entries[0].error;
  for (const entry of entries) if (!entry.nodes.length) entry.error ??= "The set has no node.";
  return { format, entries, notes, isCase };
}

/** A form to say which column is which; `onChosen` gets their places. */
export function chooseColumns({ message, columns, example }, onChosen) {
  const found = findColumns(columns);
  const free = columns.map((_, at) => at).filter((at) => !found.includes(at));
  const selects = [noun("subgraph"), noun("member"), "excluded"].map((what, at) => {
    const options = columns.map((name, place) =>
      h("option", { value: place }, example[place] ? `${name} (as ${example[place]})` : name));
    if (at === 2) options.unshift(h("option", { value: -1 }, "none"));
    const select = h("select", { "aria-label": `Column of: ${what}` }, options);
    select.value = String(found[at] >= 0 || at === 2 ? found[at] : free.shift());
    return [h("label", what[0].toUpperCase() + what.slice(1), select), select];
  });
  const read = button("button.primary", "Read the file", () =>
    onChosen(Object.assign(selects.map(([, select]) => Number(select.value)), { columns })));
  return h("div.columns", h("p", `${message} Which are they?`),
    h("div.row", selects.map(([label]) => label), read));
}
