// Files of many sets to sets, and answers to CSV. Nothing here touches the page.

/** Rows of a delimited text, each with its first line; a quoted field may hold anything. */
export function rowsOf(text, separator) {
  const rows = [];
  const field = new RegExp(`"([^"]*(?:""[^"]*)*)"[^${separator}\\n]*|[^${separator}\\n]*`, "y");
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

function table(text, separator) {
  const [head, ...rows] = rowsOf(text, separator);
  const [set, node] = ["subgraph_id", "node_id"].map((name) =>
    head.cells.findIndex((cell) => cell.toLowerCase() === name));
  if (set < 0 || node < 0) {
    const found = `it says: ${head.cells.join(", ").slice(0, 100)}`;
    throw new Error(`The first line must name the columns subgraph_id and node_id; ${found}`);
  }
  const sets = new Map();
  for (const { line, cells } of rows) {
    const [id, member] = [cells[set], cells[node]];
    if (!id) sets.set({}, bad(line, "has no subgraph_id"));
    else if (!member) sets.set(id, { ...bad(line, "has no node_id"), id });
    else if (sets.get(id)?.error) continue; // one bad row makes its set bad
    else if (sets.has(id)) sets.get(id).nodes.push(member);
    else sets.set(id, { id, nodes: [member] });
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
  const id = row.id ?? row.subgraph_id ?? position;
  const ids = [id, ...row.nodes].every(isId);
  if (!ids) return bad(line, "has an id that is neither text nor a whole number below 2^53");
  return { id: String(id), nodes: row.nodes.map(String) };
}

function gmtLine(text, line) {
  const [name, , ...nodes] = text.split("\t").map((cell) => cell.trim());
  return { id: name || `line ${line}`, nodes: nodes.filter(Boolean) };
}

/** What a phenopacket says was observed and excluded; null for other texts. */
export function readPhenopacket(text) {
  try {
    const packet = JSON.parse(text);
    const { phenotypicFeatures: features } = packet.proband ?? packet;
    const ids = (absent) => features
      .filter(({ excluded, negated }) => Boolean(excluded || negated) === absent)
      .map(({ type }) => type.id);
    return { nodes: ids(false), excluded: ids(true) };
  } catch {
    return null;
  }
}

/** The format by the end of the name, or else by the first line. */
function formatOf(name, first) {
  const end = name.toLowerCase().split(".").pop();
  if (["jsonl", "ndjson", "json"].includes(end)) return "JSONL";
  if (["gmt", "tsv", "csv"].includes(end)) return end.toUpperCase();
  if (first.startsWith("{")) return "JSONL";
  if (!first.includes("\t")) return "CSV";
  return first.includes("subgraph_id") ? "TSV" : "GMT";
}

/** The sets of a file: {id, nodes}, and an error with each that cannot be asked; may throw. */
export function readSets(name, raw) {
  const text = raw.replace("\uFEFF", "").trimEnd();
  const [first] = text.trimStart().split("\n", 1);
  if (!first) throw new Error("The file is empty.");
  const format = formatOf(name, first);
  let entries;
  if (format === "JSONL" || format === "GMT") {
    const read = format === "GMT" ? gmtLine : jsonLine;
    entries = text.split("\n").map((line, i) => (line.trim() ? read(line, i + 1, i) : null));
    entries = entries.filter(Boolean);
  } else {
    const comma = first.includes(",") || !first.includes(";") ? "," : ";";
    entries = table(text, format === "TSV" ? "\t" : comma);
  }
  if (!entries.length) throw new Error("The file has a header and no line after it.");
  for (const entry of entries) {
    if (!entry.nodes.length) entry.error ??= "The set has no node.";
  }
  return { format, entries };
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
    "warnings", "unknown_nodes", "error"]];
  for (const { id, answer, error } of entries) {
    if (!answer) {
      lines.push([id, "", "", "", "", ...classes.map(() => ""), "", "", error || "not asked"]);
      continue;
    }
    const { labels, probabilities, spread, known, unknown, warnings } = answer;
    const most = (a, b) => (probabilities[b] > probabilities[a] ? b : a);
    const said = (labels.length ? labels : classes).reduce(most);
    lines.push([id, labels.join(";"), short(probabilities[said]), short(spread[said]), short(known),
      ...classes.map((name) => short(probabilities[name])),
      warnings.map(({ text }) => text).join("; "), unknown.join(";"), ""]);
  }
  return lines.map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
}
