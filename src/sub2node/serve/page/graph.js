// The neighbourhood of the set, drawn; the same answer gives the same picture.

import { button, h, many, named, noun, paint, svg, table, tag, tags, weight } from "./dom.js";

const MOST_ZOOM = 8;
const LETTER = 6.4; // pixels, about, of a name
const TURN = 2 * Math.PI;

let scrolled = -Infinity; // when the page last moved
addEventListener("scroll", () => (scrolled = performance.now()), { passive: true });

/** Places on the unit disc: hop 1 round the middle by label, the heavier the nearer; hop 2 outside. */
export function layout(nodes, links) {
  const angle = nodes.map(() => 0);
  const weights = nodes.filter((node) => node.hop === 1).map((node) => node.weight);
  const [least, most] = [Math.min(...weights), Math.max(...weights)];
  const spread = (key, hop) => {
    const ring = nodes.map((_, i) => i).filter((i) => (nodes[i].hop === 1) === (hop === 1));
    ring.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b));
    ring.forEach((i, place) => (angle[i] = (TURN * (place + hop / 2)) / ring.length - TURN / 4));
  };
  spread((i) => nodes[i].labels.join("\n"), 1);
  spread((i) => {
    let [x, y] = [0, 0];
    for (const [from, to, value] of links) {
      const other = from === i ? to : to === i ? from : -1;
      if (other < 0 || nodes[other].hop !== 1) continue;
      x += value * Math.cos(angle[other] + TURN / 4);
      y += value * Math.sin(angle[other] + TURN / 4);
    }
    return (Math.atan2(y, x) + TURN) % TURN;
  }, 2);
  return nodes.map((node, i) => {
    const light = most > least ? (most - node.weight) / (most - least) : 1;
    const [from, room] = weights.length < nodes.length ? [0.36, 0.28] : [0.5, 0.42];
    const far = node.hop === 1 ? from + room * light : 1 - 0.1 * (i % 2);
    return [far * Math.cos(angle[i]), far * Math.sin(angle[i])];
  });
}

/** A disc, cut like a cake where there are several labels. */
function disc(radius, labels, colour) {
  if (labels.length < 2) return svg("circle.slice", { r: radius, ...paint(colour(labels[0])) });
  const at = (place) => {
    const turn = (TURN * place) / labels.length - TURN / 4;
    return `${(radius * Math.cos(turn)).toFixed(2)} ${(radius * Math.sin(turn)).toFixed(2)}`;
  };
  return labels.map((label, i) => {
    const d = `M0 0L${at(i)}A${radius} ${radius} 0 0 1 ${at(i + 1)}Z`;
    return svg("path.slice", { d, ...paint(colour(label)) });
  });
}

const shorten = (text) => (text.length > 26 ? `${text.slice(0, 25)}…` : text);
const weightOf = (node) =>
  (node.weight === null ? "not joined to your set" : `weight ${weight(node.weight)}`) +
  (node.hop === 1 ? "" : ", two steps away");

function drawNode(node, place, colour, below) {
  const radius = node.hop === 1 ? 8 : 6;
  const words = [node.id, node.title, node.labels.join(", ") || "no label", weightOf(node)];
  const label = words.filter(Boolean).join("; ");
  return svg("g.node", { tabindex: place ? "-1" : "0", role: "img", "aria-label": label },
    svg("circle.reach", { r: radius + 8 }), svg("circle.ring", { r: radius + 3.5 }),
    disc(radius, node.labels, colour),
    svg("text", { y: below ? radius + 14 : -radius - 5 }, shorten(node.title || node.id)));
}

/** The drawing: what is where, how far it is zoomed, and what is pointed at. */
class Stage {
  constructor({ nodes, links }, colour, words) {
    Object.assign(this, { nodes, links, colour, zoom: 1, x: 0, y: 0, width: 0, height: 0 });
    this.places = layout(nodes, links);
    const heaviest = Math.max(1e-12, ...links.map((link) => link[2]));
    this.lines = links.map(([from, to, value]) =>
      svg(from < 0 || to < 0 ? "line.link.near" : "line.link",
        { "stroke-width": 0.6 + 4.4 * (value / heaviest) }));
    this.below = this.places.map(([, y]) => y > 0.02); // a name stands away from the middle
    this.dots = nodes.map((node, i) => drawNode(node, i, colour, this.below[i]));
    const name = svg("text", { y: 28 }, "your set");
    this.middle = svg("g.node.asked", svg("circle.slice", { r: 13 }), name);
    this.world = svg("g", this.lines, this.dots, this.middle);
    const label = `${words} Arrow keys go through them.`;
    this.canvas = svg("svg", { role: "group", "aria-label": label }, this.world);
    this.tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
    const tool = (name, sign, act) => {
      const made = button("button", sign, act);
      made.title = made.ariaLabel = name;
      return made;
    };
    this.more = tool("Zoom in", "+", () => this.zoomTo(this.zoom * 1.5));
    this.less = tool("Zoom out", "−", () => this.zoomTo(this.zoom / 1.5));
    const all = tool("Show all", "⤢", () => this.zoomTo(1));
    this.tools = h("div.zoom", this.more, this.less, all);
    const height = `min(${220 + 24 * nodes.length}px, 60vh, 540px)`;
    this.box = h("div.stage", { css: { height } }, this.canvas, this.tip);
    this.listen();
    hands(this);
  }

  spot(i) {
    const [x, y] = i < 0 ? [0, 0] : this.places[i];
    const [across, down] = [this.width / 2, this.height / 2];
    return [across + x * (across - 24), down + y * (down - 24)];
  }

  paint() {
    const { zoom, canvas, width, height } = this;
    this.x = Math.min(0, Math.max(width * (1 - zoom), this.x));
    this.y = Math.min(0, Math.max(height * (1 - zoom), this.y));
    this.world.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${zoom})`);
    const put = (node, i) =>
      node.setAttribute("transform", `translate(${this.spot(i)}) scale(${1 / Math.sqrt(zoom)})`);
    this.dots.forEach(put);
    put(this.middle, -1);
    this.links.forEach(([from, to], k) => {
      const [[x1, y1], [x2, y2]] = [this.spot(from), this.spot(to)];
      for (const pair of Object.entries({ x1, y1, x2, y2 })) this.lines[k].setAttribute(...pair);
    });
    canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    canvas.setAttribute("data-zoom", zoom.toFixed(3));
    this.name();
    canvas.style.setProperty("touch-action", zoom > 1 ? "pinch-zoom" : "pan-y pinch-zoom");
    this.less.disabled = zoom <= 1;
    this.more.disabled = zoom >= MOST_ZOOM;
  }

  /** Writes the names that have room, those of the nearest first. */
  name() {
    const { zoom, dots, nodes } = this;
    const size = Math.sqrt(zoom);
    const box = (i, text) => {
      const [x, y] = this.spot(i).map((value) => value * zoom);
      const half = (size * LETTER * text.length) / 2;
      const [above, under] = this.below[i] ? [8, 26] : [26, 8];
      return [x + this.x - half, y + this.y - above * size,
        x + this.x + half, y + this.y + under * size];
    };
    const [left, top, right, bottom] = box(-1, "your set");
    const taken = [[left, top, right, bottom + 30 * size]];
    const apart = (a, b) => a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1];
    dots.forEach((dot, i) => {
      const here = box(i, shorten(nodes[i].title || nodes[i].id));
      const fits = here[0] > 2 && here[2] < this.width - 2 && here[1] > 0 && here[3] < this.height;
      const free = fits && taken.every((other) => apart(here, other));
      if (free) taken.push(here);
      dot.classList.toggle("named", free);
    });
  }

  zoomTo(wanted, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(MOST_ZOOM, Math.max(1, wanted));
    this.x = x - ((x - this.x) * zoom) / this.zoom;
    this.y = y - ((y - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.rest();
  }

  move(x, y) {
    this.x += x;
    this.y += y;
    this.rest();
  }

  /** Draws, and points at what has the focus, or at nothing. */
  rest() {
    this.paint();
    const held = this.dots.indexOf(document.activeElement);
    if (held < 0) this.hide();
    else this.point(held);
  }

  hide() {
    this.tip.hidden = true;
    this.canvas.classList.remove("pointed");
    for (const item of this.canvas.querySelectorAll(".lit")) item.classList.remove("lit");
  }

  point(i) {
    const { tip, nodes, dots, lines } = this;
    this.hide();
    const { id, title, labels } = nodes[i];
    tip.replaceChildren(h("div", named(id, title)), tags(labels, this.colour),
      h("div.soft", weightOf(nodes[i])));
    tip.hidden = false;
    this.canvas.classList.add("pointed");
    dots[i].classList.add("lit");
    this.links.forEach(([from, to], k) => {
      if (from !== i && to !== i) return;
      const other = from === i ? to : from;
      for (const item of [lines[k], dots[other] || this.middle]) item.classList.add("lit");
    });
    const [x, y] = this.spot(i);
    const [left, top] = [x * this.zoom + this.x, y * this.zoom + this.y];
    const above = top - tip.offsetHeight - 16;
    const most = this.width - tip.offsetWidth - 6;
    tip.style.left = `${Math.max(6, Math.min(most, left - tip.offsetWidth / 2))}px`;
    tip.style.top = `${above > 4 ? above : top + 16}px`;
  }

  listen() {
    this.dots.forEach((dot, i) => {
      dot.addEventListener("pointerenter", () => this.point(i));
      dot.addEventListener("pointerleave", () => this.rest());
      dot.addEventListener("blur", () => this.hide());
      dot.addEventListener("focus", () => {
        const [x, y] = this.spot(i).map((value) => value * this.zoom);
        if (x + this.x < 10 || x + this.x > this.width - 10) this.x = this.width / 2 - x;
        if (y + this.y < 10 || y + this.y > this.height - 10) this.y = this.height / 2 - y;
        this.rest();
      });
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => {
      if (!this.box.clientWidth) return;
      [this.width, this.height] = [this.box.clientWidth, this.box.clientHeight];
      this.paint();
    }).observe(this.box);
  }

  key(event) {
    const { dots } = this;
    const here = dots.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "+" || event.key === "=") this.zoomTo(this.zoom * 1.5);
    else if (event.key === "-") this.zoomTo(this.zoom / 1.5);
    else if (event.key === "0") this.zoomTo(1);
    else if (event.key === "Escape") this.hide();
    else if (step && here >= 0) {
      const next = dots[(here + step + dots.length) % dots.length];
      dots[here].setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  }
}

/** Wheel and drag; two fingers zoom the page. */
function hands(stage) {
  const { canvas } = stage;
  let held = null;
  const local = (event) => {
    const frame = canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };
  canvas.addEventListener("wheel", (event) => {
    const out = event.deltaY > 0;
    if (performance.now() - scrolled < 200 && !event.ctrlKey) return; // the page is on the move
    if (stage.zoom === (out ? 1 : MOST_ZOOM)) return;
    event.preventDefault();
    const turned = Math.max(-100, Math.min(100, event.deltaY));
    stage.zoomTo(stage.zoom * Math.exp(-turned / 300), ...local(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => (held = event.isPrimary && local(event)));
  canvas.addEventListener("pointermove", (event) => {
    const id = event.pointerId;
    if (!held || !event.isPrimary) return;
    const [x, y] = local(event).map((value, k) => value - held[k]);
    if (Math.hypot(x, y) < 3 && !canvas.hasPointerCapture(id)) return;
    canvas.setPointerCapture(id);
    held = local(event);
    stage.move(x, y);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"])
    canvas.addEventListener(end, () => (held = null));
}

function legend(nodes, colour) {
  const labels = [...new Set(nodes.flatMap((node) => node.labels))].sort();
  const own = labels.filter((label) => colour(label) !== "grey");
  return h("p.legend", tag("your set", "asked"), own.map((label) => tag(label, colour(label))),
    own.length < labels.length ? tag("other labels", "grey") : null);
}

/** The part of a graph that is joined to the set. */
function joinedPart({ nodes, links }) {
  const near = nodes.filter((node) => node.hop === 1);
  const place = nodes.map((node) => near.indexOf(node));
  const moved = links.map(([from, to, value]) => [place[from] ?? -1, place[to] ?? -1, value]);
  const inside = (i) => i < 0 || place[i] >= 0;
  return { nodes: near, links: moved.filter((_, k) => inside(links[k][0]) && inside(links[k][1])) };
}

/** Draws `graph` in `root`: what is joined to the set (`joined` in all), on demand what is behind. */
export function showGraph(root, graph, colour, joined) {
  const { nodes } = graph;
  const near = joinedPart(graph);
  const far = nodes.length - near.nodes.length;
  const some = joined > near.nodes.length
    ? `The ${near.nodes.length} strongest of ${many(joined, "known subgraph")}`
    : many(near.nodes.length, "known subgraph");
  const draw = (all) => {
    const part = all ? graph : near;
    const words = `${some} joined to your set${all ? `, and ${far} more behind` : ""}.`;
    const rows = part.nodes.map((node) =>
      h("tr", h("th", { scope: "row" }, named(node.id, node.title)),
        h("td", tags(node.labels, colour)), h("td.number", weight(node.weight)),
        h("td.number", String(node.hop))));
    const stage = new Stage(part, colour, words);
    const more = button("button.plain.more.behind",
      all ? "Show only what is joined to your set" : `Show the ${far} behind them too`,
      () => {
        draw(!all);
        root.querySelector(".behind").focus();
      });
    root.replaceChildren(
      h("div.sethead", h("p.soft", `${words} Nearer and thicker is heavier.`), stage.tools),
      stage.box,
      legend(part.nodes, colour),
      far ? more : "",
      h("details", h("summary", "The same as a table"),
        table("table.around", [noun("subgraph"), noun("labels"), "Weight", "Steps"], rows)));
  };
  draw(false);
}
