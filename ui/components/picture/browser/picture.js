// A picture: one Plotly div that is kept while figures, selection and theme change.

import { resumeFocus } from "../mlscope.components/focus.js";
import { kept } from "../mlscope.components/kept.js";
import "../mlscope.components/keys.js"; // of the whole page: a pad or pictures are on nearly every one
import { inkCells } from "../mlscope.figures/ink.js";
import {
  columnsOfAxes, KEY, keepClear, keepsShape, keepZoom, linesOfLegend, namedLines, rowsOfAxes,
} from "./axes.js";
import { paletteFor, recoloured } from "./colours.js";
import { Cursor } from "./cursor.js";
import { Foot } from "./foot.js";
import { Handle } from "./handle.js";
import { idle } from "./idle.js";
import { level } from "./level.js";
import { Player } from "./player.js";
import { plotly } from "./plotly.js";
import { rowsOfMarks, rowsUnder, selectedMarks } from "./rows.js";

// What is selected in one shows in all, at once.
const pictures = kept((picture) => picture.end());
const NARROW = 480; // pixels; below it a picture is about as high as it is wide,
const SQUARE = 1.05; // of its width, the height with names and axes of what is square
const LINE = 44, AROUND = 130; // unless its names, a line each, need more, and what is around them,
const ROW = 170; // or it has several rows of axes,
const BESIDE = 3, PANEL = 190; // axes side by side from which each is so wide: it scrolls sideways
const KEYS = 2; // and room for each line of its legend after the second
const MOST_GROWN = 0.5, LEAST_GROWN = 6; // of its height, to fill its card; pixels that are seen
const KEPT = 60_000; // milliseconds that a picture waits to come back after it left the page
const NEAR = "50%"; // of a screen; a picture that far away is drawn before it is scrolled to
const LAID_OUT = 100; // milliseconds in which what stands above a new picture pushes it down

/** Called by Streamlit at the first mount and whenever data or theme change. */
export default function mount({ data, parentElement, setStateValue, setTriggerValue }) {
  wearStyle();
  const name = `${location.pathname} ${data.key}`;
  if (!pictures.has(name)) pictures.set(name, new Picture(name));
  const picture = pictures.get(name);
  picture.enter(parentElement);
  picture.show(data, { setStateValue, setTriggerValue });
  return () => {
    // Streamlit also calls this for a rerun that was overtaken, while the picture stays.
    if (picture.parent === parentElement && !parentElement.isConnected) picture.leave();
  };
}

class Picture {
  constructor(name) {
    this.name = name;
    this.root = document.createElement("figure");
    this.root.className = "mlscope-picture";
    this.plot = document.createElement("div");
    this.plot.className = "mlscope-plot";
    this.plot.setAttribute("role", "group");
    this.plot.setAttribute("aria-roledescription", "picture");
    this.caption = document.createElement("figcaption");
    this.caption.id = `mlscope-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    this.player = new Player(this);
    this.foot = new Foot(this);
    this.cursor = new Cursor(this);
    this.handle = new Handle(this);
    const words = [this.cursor.hint, this.cursor.said];
    this.root.append(this.plot, ...words, this.handle.root, this.player.root, this.caption, this.foot.root);
    this.selected = new Set();
    this.work = Promise.resolve();
    this.grown = 0; // pixels by which it is higher than it is by itself
    this.sizes = new ResizeObserver(() => { this.refresh(); this.level(); });
    this.sizes.observe(this.root);
    // Most of a long page is never seen, and drawing is what takes the browser longest.
    this.sight = new IntersectionObserver((seen) => this.approach(seen.at(-1).isIntersecting),
      { rootMargin: NEAR, scrollMargin: NEAR });
    this.sight.observe(this.root);
  }

  /** Stand in `parent`. Streamlit makes a new one when something appears above the picture. */
  enter(parent) {
    clearTimeout(this.waiting);
    if (this.parent === parent) return;
    this.parent = parent;
    parent.picture = this;
    parent.append(this.root);
    resumeFocus(this.root);
  }

  /** Leave the page, to be forgotten unless the picture comes back soon. */
  leave() {
    this.root.remove();
    this.player.stop();
    this.waiting = setTimeout(() => this.end(), KEPT);
  }

  end() {
    clearTimeout(this.waiting); // or it would end the one that has its name by then
    pictures.delete(this.name);
    this.player.load(null);
    this.sizes.disconnect();
    this.sight.disconnect();
    if (this.drawn) window.Plotly.purge(this.plot);
  }

  /** Take what Python sent and bring the picture up to it. */
  show(data, report) {
    if (data.theme !== this.data?.theme) this.theme = JSON.parse(data.theme); // else what is drawn holds
    this.data = this.sent = data;
    this.report = report;
    this.palette = paletteFor(this.parent, this.theme);
    this.selected = new Set(data.selection);
    this.dress();
    this.player.show(data);
    this.foot.show();
    this.refresh();
  }

  /** Show what the server will send for a value beside that of what it sent: `sheet` has what
   * differs, nothing for this value itself. */
  foresee(sheet) {
    if (this.sent.player?.recording) return; // its steps are of this value
    this.data = { ...this.sent, ...sheet };
    this.dress();
    this.foot.show();
    this.redraw();
  }

  dress() {
    const { root, plot, caption, data } = this;
    for (const [name, color] of Object.entries(this.palette)) {
      root.style.setProperty(`--mlscope-${name.replace("_", "-")}`, color);
    }
    root.classList.toggle("mlscope-stale", data.stale);
    root.setAttribute("aria-busy", data.stale);
    this.say();
    caption.hidden = !data.reading;
    plot.style.height = `${this.height()}px`;
    const [name, value] = data.reading ? ["aria-labelledby", caption.id] : ["aria-label", data.key];
    if (plot.getAttribute(name) !== value) plot.setAttribute(name, value);
  }

  /** The reading is of the fit, where the steps end. */
  say() {
    const reading = this.data.reading.replaceAll(" %", "\u00a0%"); // a number keeps its sign
    this.caption.textContent = reading && this.player.isBefore ? `At the end: ${reading}` : reading;
  }

  height() {
    return this.ownHeight() + this.grown;
  }

  /** Share the height of the row of cards with its neighbours, once all have found their place. */
  level() {
    cancelAnimationFrame(this.levelling);
    this.levelling = requestAnimationFrame(() => {
      this.plot.style.height = `${this.height()}px`; // which its width may have changed
      level(this.root);
    });
  }

  /** Be higher by so many pixels, within reason. */
  grow(pixels) {
    const grown = Math.round(Math.max(0, Math.min(pixels, this.mostGrown())));
    if (Math.abs(grown - this.grown) < LEAST_GROWN) return;
    this.grown = grown;
    this.plot.style.height = `${this.height()}px`;
    this.refresh();
  }

  /** What its height bounds, or its width where it has a shape of its own. */
  mostGrown() {
    const high = MOST_GROWN * this.data.height;
    if (!keepsShape(JSON.parse(this.data.figure))) return high;
    return Math.min(high, SQUARE * this.root.clientWidth - this.ownHeight());
  }

  ownHeight() {
    const width = this.root.clientWidth;
    const { height } = this.data;
    if (!width || width >= NARROW) return height;
    const figure = JSON.parse(this.data.figure);
    if (figure.layout.meta?.high) return height; // its lines have the words of each above them
    const named = AROUND + LINE * namedLines(figure), stacked = ROW * rowsOfAxes(figure);
    const keys = KEY * Math.max(0, linesOfLegend(figure, width) - KEYS);
    return Math.min(height, Math.max(Math.round(width * SQUARE), named, stacked) + keys);
  }

  /** How wide it is drawn: as its place, or wider where maps or cells in it would be too small. */
  width() {
    const place = this.root.clientWidth;
    if (!place) return place;
    const { columns, least, high } = this.breadth();
    // In less room than its words have they would be turned upright, however wide the screen is.
    if (place >= NARROW) return high ? Math.max(place, least) : place;
    return Math.max(place, columns < BESIDE ? 0 : columns * PANEL, least);
  }

  /** What its figure says of its width, read once: this is asked at every change of the page. */
  breadth() {
    if (this.measured?.text !== this.data.figure) {
      const figure = JSON.parse(this.data.figure), { least = 0, high } = figure.layout.meta ?? {};
      this.measured = { text: this.data.figure, columns: columnsOfAxes(figure), least, high };
    }
    return this.measured;
  }

  /** Draw again, once the page is idle, if anything that shows has changed until then. */
  refresh() {
    this.due ??= idle().then(() => {
      this.due = null;
      return this.redraw();
    });
    return this.due;
  }

  /** Draw again at once: somebody moved what it shows, or the page is printed. */
  redraw() {
    return this.queue(() => this.draw());
  }

  /** Do one thing to the plot after the other. */
  queue(action) {
    this.work = this.work.then(action).catch((error) => this.fail(error));
    return this.work;
  }

  /** Come near the screen, where it is drawn if it stays, or leave it, where it stays as it is. */
  approach(near) {
    clearTimeout(this.nearing);
    this.near &&= near;
    if (near) this.nearing = setTimeout(() => this.arrive(), LAID_OUT);
  }

  arrive() {
    this.near = true;
    this.refresh();
  }

  async draw() {
    const { data } = this, width = data && this.width();
    if (!width || !this.near) return; // not to be seen: drawn when it is
    const wanted = [data.figure, data.rows, data.uirevision, this.palette, width, this.height(),
      this.player.recording, [...this.selected].join()];
    if (this.drawn?.every((part, i) => part === wanted[i])) return;
    const Plotly = await plotly(data.plotly);
    const { traces, layout } = this.figure();
    layout.width = width;
    keepClear(layout, linesOfLegend({ data: traces, layout }, width));
    this.root.classList.toggle("mlscope-wide", width > this.root.clientWidth);
    layout.height = this.height();
    this.plot.style.height = `${layout.height}px`;
    this.configure(Plotly);
    if (this.plot.classList.contains("mlscope-failed")) this.plot.replaceChildren();
    this.plot.classList.remove("mlscope-failed");
    await Plotly.react(this.plot, traces, layout, this.config);
    this.ink();
    if (!this.drawn) {
      this.listen();
      this.begin(layout);
    }
    this.plot.tabIndex = this.cursor.take() || this.player.recording ? 0 : -1;
    this.drawn = wanted;
    this.handle.show();
  }

  /** Bring what a picture begins with into sight, where it is wider than its place. */
  begin(layout) {
    const place = this.root.closest('[class*="st-key-picture-"]');
    if (!place || layout.meta?.start === undefined) return;
    const { xaxis } = this.plot._fullLayout;
    place.scrollLeft = xaxis._offset + xaxis.d2p(layout.meta.start) - place.clientWidth / 2;
  }

  /** The figure as it was sent, with the template that is the same for all of them. */
  templated() {
    const figure = JSON.parse(this.data.figure);
    figure.layout.template = this.theme.template;
    return figure;
  }

  /** The figure as it should look now: in the page's colours, at the player's step. */
  figure() {
    const { data: traces, layout } = recoloured(
      this.templated(), this.theme, this.palette);
    this.rows = rowsOfMarks(traces, this.data.rows && JSON.parse(this.data.rows));
    this.player.applyTo(traces);
    traces.forEach((trace, i) => {
      const marks = selectedMarks(this.rows[i], this.selected);
      if (marks) trace.selectedpoints = marks;
    });
    layout.uirevision ??= this.data.uirevision;
    layout.selectionrevision = this.revision = (this.revision ?? 0) + 1; // ours always wins
    keepZoom(layout, traces, this.data.uirevision);
    // A finger scrolls the page; the mode bar lets it zoom or select.
    if (isTouch() && layout.dragmode === undefined) layout.dragmode = false;
    return { traces, layout };
  }

  /** Another configuration makes Plotly start afresh, zoom lost: make one only if it must be. */
  configure(Plotly) {
    const hasRows = this.rows.some((rows) => rows !== null);
    if (this.config && this.hasRows === hasRows) return;
    this.hasRows = hasRows;
    const selecting = hasRows ? [] : ["select2d", "lasso2d"];
    this.config = {
      ...this.theme.config,
      displayModeBar: "hover",
      doubleClickDelay: 300,
      modeBarButtonsToRemove: ["toImage", "autoScale2d", ...selecting],
      modeBarButtonsToAdd: this.foot.modeBarButtons(Plotly),
      responsive: false,
    };
  }

  listen() {
    for (const moved of ["plotly_afterplot", "plotly_relayouting"]) {
      this.plot.on(moved, () => this.handle.stand());
    }
    this.plot.on("plotly_afterplot", () => this.ink());
    this.plot.on("plotly_selected", (event) => event && this.pick(event));
    this.plot.on("plotly_click", (event) => this.pick(event));
    this.plot.on("plotly_deselect", () => this.select([]));
    this.plot.on("plotly_doubleclick", () => this.select([]));
    const held = (event) => (this.adding = event.shiftKey);
    this.plot.addEventListener("pointerdown", held, { capture: true });
  }

  ink() {
    inkCells(this.plot, this.palette.text);
  }

  /** Select what a lasso, a box or a click found; with Shift in addition to what is selected. */
  pick(event) {
    const rows = rowsUnder(event.points, this.rows);
    if (!rows.length && !event.range && !event.lassoPoints) return; // a click beside all rows
    const all = this.adding ? new Set([...this.selected, ...rows]) : rows;
    this.select([...all].sort((a, b) => a - b));
  }

  /** Select these rows of the table in all pictures, and tell Python. */
  select(rows) {
    if (rows.length === this.selected.size && rows.every((row) => this.selected.has(row))) return;
    for (const picture of pictures.values()) picture.light(rows);
    this.report.setTriggerValue("selected", rows);
  }

  light(rows) {
    this.selected = new Set(rows);
    this.foot.showSelection();
    this.redraw();
  }

  fail(error) {
    console.error(error);
    window.Plotly?.purge(this.plot); // what was begun, too: nothing could be drawn over it
    this.drawn = null;
    this.plot.textContent = `This picture could not be drawn: ${error.message}`;
    this.plot.classList.add("mlscope-failed");
  }
}

function wearStyle() {
  const address = new URL("./picture.css", import.meta.url).href;
  if (document.head.querySelector(`link[href="${address}"]`)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  document.head.append(link);
}

// A page on paper has no screen to come near to.
addEventListener("beforeprint", () => pictures.forEach((picture) => {
  picture.near = true;
  picture.redraw();
}));

const isTouch = () => matchMedia("(hover: none)").matches;
