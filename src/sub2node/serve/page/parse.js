// Files of many sets to sets, and answers to CSV. Nothing here touches the page.

// What a column of ours may be called, and words of a trade (task/column_names.py has the same).
export const COLUMNS = {
  subgraph_id: [["subgraph_id", "subgraph", "set"], ["gene_set", "gene_set_name", "gs_name",
    "pathway", "pathway_id", "patient", "patient_id", "alert", "alert_id", "case", "case_id"]],
  node_id: [["node_id", "node", "id"], ["gene", "protein", "symbol", "gene_symbol", "gene_id",
    "protein_id", "term", "hpo_id", "account", "account_id", "account_no", "account_number"]],
  excluded: [["excluded"], []],
};
export const ABSENT = ["true", "1", "yes", "y", "t", "excluded", "absent", "-"];
export const PRESENT = ["false", "0", "no", "n", "f", "observed", "present", "+", ""];
const NUMBER = /^[+-]?\d+([.,]\d*)?(e[+-]?\d+)?$/i;

/** A table whose columns must be chosen; `columns` are their names, `example` a row. */
export class ColumnsError extends Error {
  constructor(columns, example) {
    super("This table has no columns that are known for the set and its members.");
    Object.assign(this, { columns, example });
  }
}

/** Rows of a delimited text, each with its first line; a quoted field may hold anything. */
export function rowsOf(text, separator) {
  const rows = [];
  const mark = separator === "|" ? "\\|" : separator;
  const field = new RegExp(`"([^"]*(?:""[^"]*)*)"[^${mark}\\n]*|[^${mark}\\n]*`, "y");
  let row = { line: 1, cells: [] };
  for (let [at, line] = [0, 1]; at <= text.length; at += 1) {
    field.lastIndex = at;
    const [all, quoted] = field.exec(text);
    row.cells.push(quoted === undefined ? all.trim() : quoted.replaceAll('""', '"'));
    line += all.split("\n").length - 1;
    at += all.length;
    if (text[at] === separator) continue;
    if (row.cells.some(Boolean)) rows.push(row);
    line += 1;
    row = { line, cells: [] };
  }
  return rows;
}

const bad = (line, why) => ({ id: `line ${line}`, nodes: [], error: `Line ${line} ${why}.` });

/** Where each column of ours stands in a header, -1 where it does not or is unclear. */
export function findColumns(header) {
  const low = header.map((cell) => cell.toLowerCase());
  return Object.values(COLUMNS).map(([names, words]) => {
    const known = words.filter((word) => low.includes(word));
    return low.indexOf(names.find((name) => low.includes(name)) ?? (known[1] ? "" : known[0]));
  });
}

/** Whether a table begins with its first row: all numbers, or an id that comes again. */
function isHeadless([{ cells }, ...rows]) {
  if (cells.length < 2 || cells.length > 3 || findColumns(cells).some((at) => at >= 0)) return false;
  if (cells.length === 3 && !NUMBER.test(cells[2])) return false;
  const ids = new Set(rows.slice(0, 200).flatMap((row) => row.cells.slice(0, 2)));
  return cells.every((cell) => NUMBER.test(cell)) || cells.slice(0, 2).some((id) => ids.has(id));
}

/** Sets of a table; `chosen` are places of the columns of set, member and excluded. */
function table(text, separator, chosen) {
  const rows = rowsOf(text, separator);
  const headless = !chosen && isHeadless(rows);
  const header = headless ? [] : rows.shift().cells;
  const [set, node, sign] = chosen ?? (headless ? [0, 1, -1] : findColumns(header));
  if (header.length === 1)
    throw new Error("This file has one column, and a table of sets has two. Paste a list of one set.");
  if (set < 0 || node < 0) throw new ColumnsError(header, rows[0]?.cells ?? []);
  const sets = new Map();
  for (const { line, cells } of rows) {
    const [id, member, word] = [cells[set], cells[node], (cells[sign] ?? "").toLowerCase()];
    const absent = ABSENT.includes(word);
    if (!id) sets.set({}, bad(line, "has no subgraph_id"));
    else if (!member) sets.set(id, { ...bad(line, "has no node_id"), id });
    else if (!absent && !PRESENT.includes(word))
      sets.set(id, { ...bad(line, `has “${cells[sign]}” as excluded; it says true or false`), id });
    else {
      if (!sets.has(id)) sets.set(id, { id, nodes: [], excluded: [] });
      const one = sets.get(id); // one bad row makes its set bad
      if (!one.error) one[absent ? "excluded" : "nodes"].push(member);
    }
  }
  return [...sets.values()];
}

const isId = (value) => typeof value === "string" || Number.isSafeInteger(value);

function jsonLine(text, line, position) {
  let row;
  try {
    row = JSON.parse(text);
  } catch {
    return bad(line, "is not JSON");
  }
  if (!row || !Array.isArray(row.nodes)) return bad(line, 'has no list "nodes"');
  const { nodes, excluded = [] } = row;
  if (!Array.isArray(excluded)) return bad(line, 'has "excluded" that is no list');
  const id = row.id ?? row.subgraph_id ?? position;
  const ids = [id, ...nodes, ...excluded].every(isId);
  if (!ids) return bad(line, "has an id that is neither text nor a whole number below 2^53");
  return { id: String(id), nodes: nodes.map(String), excluded: excluded.map(String) };
}

const cut = (line) => line.split("\t").map((cell) => cell.trim());

function gmtLine(text, line) {
  const [name, , ...nodes] = cut(text);
  return { id: name || `line ${line}`, nodes: nodes.filter(Boolean) };
}

/** Sets as columns: names, descriptions, genes. */
function gmxColumns(text) {
  const [names, , ...rows] = text.replace(/^\s*\n/, "").split("\n").map(cut);
  return names
    .map((id, at) => ({ id, nodes: rows.map((row) => row[at]).filter(Boolean) }))
    .filter(({ id, nodes }) => id || nodes.length);
}

/** The phenopackets of a JSON file: what was observed and excluded; null for other texts. */
export function readPhenopackets(name, text) {
  try {
    const packets = [JSON.parse(text)].flat().flatMap((one) => one.proband ?? one.members ?? one);
    return packets.map((packet) => {
      const features = packet.phenotypicFeatures ?? packet.phenotypic_features;
      const ids = (absent) => features
        .filter(({ excluded, negated }) => Boolean(excluded || negated) === absent)
        .map(({ type }) => type.id);
      const id = packet.id || name.replace(/\.[^.]*$/, "");
      return { id, nodes: ids(false), excluded: ids(true) };
    });
  } catch {
    return null;
  }
}

const split = (line, mark) => rowsOf(line, mark)[0]?.cells ?? [];

/** The format by the end of the name, or else by the first line. */
function formatOf(name, first) {
  const end = name.toLowerCase().split(".").pop();
  if (["jsonl", "ndjson", "json"].includes(end)) return "JSONL";
  if (["gmt", "gmx", "tsv", "csv"].includes(end)) return end.toUpperCase();
  if (first.startsWith("{")) return "JSONL";
  if (!first.includes("\t")) return "CSV";
  return findColumns(split(first, "\t")).some((at) => at >= 0) ? "TSV" : "GMT";
}

/** The mark that cuts the first line into most cells; that of the format where others do no more. */
const separatorOf = (format, first) =>
  [format === "TSV" ? "\t" : ",", ",", ";", "\t", "|"].reduce((best, mark) =>
    (split(first, mark).length > split(first, best).length ? mark : best));

/** The sets of a file: {id, nodes, excluded}, an error with each that cannot be asked; may throw. */
export function readSets(name, raw, chosen) {
  const text = raw.replace("\uFEFF", "").trimEnd();
  const [first] = text.trimStart().split("\n", 1);
  if (!first) throw new Error("The file is empty.");
  const format = formatOf(name, first);
  let entries;
  if (format === "JSONL" || format === "GMT") {
    const read = format === "GMT" ? gmtLine : jsonLine;
    entries = text.split("\n").map((line, i) => (line.trim() ? read(line, i + 1, i) : null));
    entries = entries.filter(Boolean);
  } else if (format === "GMX") entries = gmxColumns(text);
  else entries = table(text, separatorOf(format, first), chosen);
  if (!entries.length) throw new Error("The file has a header and no line after it.");
  for (const entry of entries) {
    entry.excluded ??= [];
    if (!entry.nodes.length) entry.error ??= "The set has no node.";
  }
  return { format, entries };
}

/** The names of an answer that may mean several nodes. */
export const ambiguousOf = ({ mapping }) => mapping.filter(({ how }) => how === "ambiguous");

/** The names of an answer that the graph does not have. */
export function unknownOf(answer) {
  const several = new Set(ambiguousOf(answer).map(({ given }) => given));
  return answer.unknown.filter((name) => !several.has(name));
}

/** A field of CSV; a text that a spreadsheet would run gets an apostrophe before it. */
function field(value) {
  let text = String(value);
  const number = text.trim() !== "" && Number.isFinite(Number(text));
  if (/^[=+\-@\t\r]/.test(text) && !number) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A number, or nothing, as the spread of one seed. */
const short = (value) => (value === null ? "" : String(Number((value ?? 0).toFixed(6))));

/** All answers as one CSV text; several labels have a semicolon between. */
export function toCsv(entries, classes) {
  const head = ["subgraph_id", "prediction", "probability", "spread", "known"];
  const lines = [[...head, ...classes.map((name) => `p ${name}`),
    "warnings", "unknown_nodes", "ambiguous_names", "error"]];
  for (const { id, answer, error } of entries) {
    if (!answer) {
      lines.push([id, ...Array(7 + classes.length).fill(""), error || "not asked"]);
      continue;
    }
    const { labels, probabilities, spread, known, warnings } = answer;
    const most = (a, b) => (probabilities[b] > probabilities[a] ? b : a);
    const said = (labels.length ? labels : classes).reduce(most);
    lines.push([id, labels.join(";"), short(probabilities[said]), short(spread[said]), short(known),
      ...classes.map((name) => short(probabilities[name])),
      warnings.map(({ text }) => text).join("; "), unknownOf(answer).join(";"),
      ambiguousOf(answer).map((one) => `${one.given} (${one.candidates.join(" or ")})`).join(";"),
      ""]);
  }
  return lines.map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
}
