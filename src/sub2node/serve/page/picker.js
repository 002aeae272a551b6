// The set: search, chips of what was picked and of what is absent, paste.

import { get } from "./api.js";
import { button, byId, count, h, many, named, noun } from "./dom.js";

const PAUSE = 150; // ms without typing before a search
const FOUND = 20;

/** Ids with newline, comma, semicolon or tab between; quotes keep those. */
export function splitList(text) {
  const item = /\s*"((?:[^"]|"")*)"\s*(?=[,;\t\r\n]|$)|[^,;\t\r\n]+/g;
  return [...text.replace("\uFEFF", "").matchAll(item)]
    .map(([all, quoted]) => (quoted === undefined ? all.trim() : quoted.replaceAll('""', '"')))
    .filter(Boolean);
}

/** What was picked, and the keys that walk through it; one chip is in the tab order. */
class Chips {
  constructor(list, titles, input, say, onChange) {
    this.picked = new Map();
    Object.assign(this, { list, titles, input, say, onChange });
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  title(id) {
    return this.titles.get(id) || id;
  }

  ids() {
    return [...this.picked.keys()];
  }

  face(chip, id) {
    const title = this.title(id);
    chip.replaceChildren(h("span.name", title), title === id ? "" : h("span.id", id),
      h("span.x", { "aria-hidden": "true" }, "×"));
    chip.setAttribute("aria-label", `Remove ${title}`);
    chip.title = title === id ? id : `${title} (${id})`;
  }

  add(ids) {
    const fresh = [...new Set(ids)].filter((id) => !this.picked.has(id));
    for (const id of fresh) {
      const chip = button("button.chip", "", () => this.remove(id, true));
      chip.tabIndex = -1;
      this.face(chip, id);
      const item = h("li", { "data-id": id }, chip);
      this.picked.set(id, item);
      this.list.append(item);
    }
    if (!fresh.length) return 0;
    if (!this.list.querySelector('[tabindex="0"]')) this.rove(this.list.firstChild);
    this.list.scrollTop = this.list.scrollHeight;
    this.onChange();
    return fresh.length;
  }

  remove(id, refocus) {
    const item = this.picked.get(id);
    const near = item.nextSibling || item.previousSibling;
    if (refocus || item.firstChild.tabIndex === 0) this.rove(near, refocus);
    if (refocus && !near) this.input.focus();
    this.picked.delete(id);
    item.remove();
    this.say(`Removed ${this.title(id)}.`);
    this.onChange();
  }

  clear() {
    this.picked.clear();
    this.list.replaceChildren();
  }

  /** Makes this chip the one that Tab reaches. */
  rove(item, focus) {
    for (const chip of this.list.querySelectorAll('[tabindex="0"]')) chip.tabIndex = -1;
    if (!item) return;
    item.firstChild.tabIndex = 0;
    if (focus) item.firstChild.focus();
  }

  key(event) {
    const item = event.target.closest("li");
    const { previousSibling: before, nextSibling: after } = item;
    const ends = { Home: this.list.firstChild, End: this.list.lastChild };
    const to = { ArrowLeft: before, ArrowUp: before, ArrowRight: after, ArrowDown: after, ...ends };
    if (event.key === "Delete" || event.key === "Backspace") this.remove(item.dataset.id, true);
    else if (event.key === "Escape") this.input.focus();
    else if (event.key in to) this.rove(to[event.key] || item, true);
    else return;
    event.preventDefault();
  }

  /** Takes titles that the service knows. */
  learn(members) {
    for (const { id, title } of members) {
      if (!title) continue;
      this.titles.set(id, title);
      if (this.picked.has(id)) this.face(this.picked.get(id).firstChild, id);
    }
  }
}

/** The search box: a combobox. */
class Search {
  constructor(input, say, chips, { add, learn, onAsk }) {
    Object.assign(this, { input, say, chips, add, learn, onAsk, found: [], active: -1 });
    this.list = byId("options");
    input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.wanted = false;
      this.timer = setTimeout(() => this.look(), input.value.trim() ? PAUSE : 0);
    });
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.choose([...this.list.children].indexOf(option));
    });
  }

  close() {
    clearTimeout(this.timer);
    if (this.running) this.running.abort();
    Object.assign(this, { running: null, wanted: false, active: -1 });
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  activate(place) {
    const options = this.list.children;
    if (options[this.active]) options[this.active].setAttribute("aria-selected", "false");
    this.active = place;
    options[place].setAttribute("aria-selected", "true");
    options[place].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", options[place].id);
  }

  async look() {
    const text = this.input.value.trim().slice(0, 200);
    if (this.running) this.running.abort();
    if (!text) {
      this.close();
      this.say("");
      return;
    }
    const mine = new AbortController();
    this.running = mine;
    try {
      const query = `v1/nodes?q=${encodeURIComponent(text)}&count=${FOUND}`;
      const { nodes } = await get(query, mine.signal);
      if (this.running === mine) this.show(nodes, text);
    } catch (error) {
      if (error.name === "AbortError" || this.running !== mine) return;
      this.close();
      const again = button("button.plain", "Try again", () => {
        this.input.focus();
        this.look();
      });
      this.say(h("span.bad", error.message), " ", again);
    }
  }

  show(nodes, text) {
    this.found = nodes;
    this.active = -1;
    this.learn(nodes);
    this.list.replaceChildren(...nodes.map((node, i) => {
      const side = this.chips.picked.has(node.id) ? "in the set" : many(node.degree, "link");
      return h("li", { role: "option", id: `option-${i}`, "aria-selected": "false" },
        h("span.what", named(node.id, node.title)), h("span.degree", side));
    }));
    if (!nodes.length) {
      this.close();
      this.say(`No ${noun("member")} has “${text}” in its name or id.`);
      return;
    }
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    const all = nodes.length < FOUND;
    this.say(all ? `${many(nodes.length, "member")} found.` : `The first ${FOUND} found.`);
    const same = (name) => name && name.toLowerCase() === text.toLowerCase();
    const exact = nodes.findIndex((node) => [node.id, node.title, node.alias].some(same));
    this.activate(Math.max(0, exact));
    if (this.wanted && exact >= 0) this.choose(exact);
    this.wanted = false;
  }

  choose(place) {
    const { id, title } = this.found[place];
    const fresh = this.add([id]);
    this.input.value = "";
    this.close();
    const as = byId("absent").checked ? " as absent" : "";
    this.say(fresh ? `Added ${title || id}${as}.` : `${title || id} is in the set already.`);
  }

  key(event) {
    const { input, list, chips } = this;
    const open = !list.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const size = list.children.length;
    if (event.isComposing) return;
    if (step && open) this.activate((this.active + step + size) % size);
    else if (step) this.look();
    else if (event.key === "Enter" && open) this.choose(this.active);
    else if (event.key === "Enter" && input.value.trim()) {
      clearTimeout(this.timer);
      this.look();
      this.wanted = true; // taken as soon as it is found, if its name is exactly this
    } else if (event.key === "Enter") this.onAsk();
    else if (event.key === "Escape" && open) this.close();
    else if (event.key === "Escape") input.value = "";
    else if (event.key === "Backspace" && !input.value && chips.picked.size)
      chips.remove(chips.ids().pop());
    else if (event.key === "ArrowLeft" && !input.value) chips.rove(chips.list.lastChild, true);
    else return;
    event.preventDefault();
  }
}

export function createPicker({ onChange, onAsk }) {
  const input = byId("search");
  const box = byId("paste");
  const say = (...words) => byId("search-note").replaceChildren(...words.filter(Boolean));
  const titles = new Map();
  const part = (name) => new Chips(byId(name), titles, input, say, change);
  const [chips, absent] = [part("chips"), part("excluded")];
  const search = new Search(input, say, chips, { add, learn, onAsk });

  function change() {
    const [here, gone] = [chips.picked.size, absent.picked.size];
    byId("set-count").textContent = many(here, "member");
    byId("excluded-count").textContent = many(gone, "member");
    byId("clear").hidden = !(here || gone);
    byId("excluded-box").hidden = !gone;
    onChange(chips.ids());
  }
  /** Adds to the set, or to what is absent; nothing is in both. */
  function add(ids, gone = byId("absent").checked) {
    const [to, from] = gone ? [absent, chips] : [chips, absent];
    for (const id of ids) if (from.picked.has(id)) from.remove(id);
    return to.add(ids);
  }

  function learn(members) {
    for (const list of [chips, absent]) list.learn(members);
  }

  function addText(text) {
    const ids = splitList(text);
    const fresh = add(ids);
    const there = ids.length - fresh;
    say(ids.length
      ? `${count(fresh)} added${there ? `, ${count(there)} in the set already` : ""}.`
      : "There is no id in this text.");
    return ids.length;
  }
  function addPasted() {
    if (addText(box.value)) box.value = "";
    box.focus();
  }
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!/[,;\t\r\n]/.test(text.trim())) return;
    event.preventDefault();
    addText(text);
  });
  byId("paste-add").addEventListener("click", addPasted);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    addPasted();
    onAsk();
  });
  byId("clear").addEventListener("click", () => {
    chips.clear();
    absent.clear();
    change();
    say("The set is empty.");
    input.focus();
  });
  return {
    nodes: () => chips.ids(),
    excluded: () => absent.ids(),
    learn,
    /** Ids of what is absent and has no title yet. */
    untitled: () => absent.ids().filter((id) => !titles.has(id)),
    set(ids, excluded) {
      chips.clear();
      absent.clear();
      add(ids, false);
      add(excluded, true);
      for (const { list } of [chips, absent]) list.scrollTop = 0;
      say("");
    },
    /** Puts the node that was meant by a name in its place. */
    replace(given, id, title) {
      const gone = absent.picked.has(given);
      const chosen = gone ? absent : chips;
      learn([{ id, title }]);
      if (chosen.picked.has(given)) chosen.remove(given);
      add([id], gone);
    },
    search(text) {
      input.value = text;
      input.focus();
      search.look();
    },
  };
}
