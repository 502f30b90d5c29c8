// A pad on which points of several classes are drawn: by pointer, finger or keyboard.

import { resumeFocus } from "../mlscope.components/focus.js";
import { kept } from "../mlscope.components/kept.js";
import "../mlscope.components/keys.js"; // of the whole page, which may have no picture yet
import { packed, unpacked } from "./points.js";

const MARGIN = 0.06; // of the square, beside the outermost points
const APART = 0.05; // of the square, between the points of one stroke
const REACH = 0.07; // of the square, around the eraser
const NUDGE = 0.05; // of the square, for one press of an arrow key
const SIZE = 400; // of the square, in the units of the drawing
const PAUSE = 350; // milliseconds without a change after which Python is told
const SVG = "http://www.w3.org/2000/svg";
const SHAPES = [ // each about as large as a circle of radius 1
  "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0Z",
  "M0,-1.3L1.3,0L0,1.3L-1.3,0Z",
  "M-.95,-.95H.95V.95H-.95Z",
  "M0,-1.25L1.2,.9H-1.2Z",
];
const pads = kept();

/** Called by Streamlit at the first mount and whenever data change. */
export default function mount({ data, parentElement, setTriggerValue }) {
  wearStyle();
  const name = `${location.pathname} ${data.key}`;
  if (!pads.has(name)) pads.set(name, new Pad());
  const pad = pads.get(name);
  if (pad.root.parentNode !== parentElement) {
    parentElement.append(pad.root);
    resumeFocus(pad.root);
  }
  pad.report = (points) => setTriggerValue("drawn", points);
  pad.show(data);
}

class Pad {
  constructor() {
    this.points = [];
    this.past = [];
    this.klass = 0;
    this.erasing = false;
    this.cursor = [0, 0];
    this.root = document.createElement("div");
    this.root.className = "mlscope-pad";
    this.tools = document.createElement("div");
    this.tools.className = "mlscope-pad-tools";
    this.tools.setAttribute("role", "toolbar");
    this.tools.setAttribute("aria-label", "What the pen does");
    this.square = element("svg", {
      viewBox: `0 0 ${SIZE} ${SIZE}`, tabindex: 0, role: "application",
      "aria-label": "Drawing pad. Arrow keys move the pen, Enter draws, Delete erases, "
        + "1 to 4 choose the class, Control+Z takes back.",
    });
    this.marks = element("g");
    this.cross = element("path", { d: "M-9,0H9M0,-9V9", class: "mlscope-pad-cross" });
    this.square.append(this.grid(), this.marks, this.cross);
    this.said = document.createElement("p");
    this.said.setAttribute("aria-live", "polite");
    this.root.append(this.tools, this.square, this.said);
    this.listen();
  }

  grid() {
    const lines = element("path", { class: "mlscope-pad-grid" });
    const at = [-1, -0.5, 0, 0.5, 1].map(place);
    const [from, to] = [at[0], at.at(-1)];
    lines.setAttribute("d", at.map((v) => `M${v},${from}V${to}M${from},${v}H${to}`).join(""));
    return lines;
  }

  listen() {
    const { square } = this;
    square.addEventListener("pointerdown", (event) => this.begin(event));
    square.addEventListener("pointermove", (event) => this.goOn(event));
    for (const end of ["pointerup", "pointercancel"]) {
      square.addEventListener(end, () => (this.last = null));
    }
    square.addEventListener("keydown", (event) => this.key(event));
  }

  /** Take what Python sent: the points only when they are not our own that come back. */
  show(data) {
    this.data = data;
    if (this.generation !== data.generation) {
      this.generation = data.generation;
      this.points = unpacked(data.points);
      this.past = [];
    }
    this.draw();
  }

  begin(event) {
    event.preventDefault();
    this.square.focus({ preventScroll: true });
    this.square.setPointerCapture(event.pointerId);
    this.keep();
    this.use(this.last = this.under(event));
  }

  goOn(event) {
    if (!this.last) return;
    const at = this.under(event);
    if (!this.erasing && distance(at, this.last) < 2 * APART) return;
    this.use(this.last = at);
  }

  /** The place under the pointer, in [-1, 1] both ways. */
  under(event) {
    const box = this.square.getBoundingClientRect();
    const inside = (share) => Math.max(-1, Math.min(1, (share * 2 - 1) * (1 + MARGIN * 2)));
    return [
      inside((event.clientX - box.left) / box.width),
      -inside((event.clientY - box.top) / box.height),
    ];
  }

  /** Draw or erase at a place. */
  use(at) {
    this.cursor = at;
    if (this.erasing) {
      this.points = this.points.filter((point) => distance(point, at) > 2 * REACH);
    } else if (this.points.length < this.data.most) {
      this.points = [...this.points, [...at, this.klass]];
    }
    this.changed();
  }

  keep() {
    this.past = [...this.past, this.points].slice(-100);
  }

  undo() {
    if (!this.past.length) return;
    this.points = this.past.pop();
    this.changed();
  }

  clear() {
    if (!this.points.length) return;
    this.keep();
    this.points = [];
    this.changed();
  }

  key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const [x, y] = this.cursor;
    if (event.key in moves) {
      const [dx, dy] = moves[event.key];
      const inside = (value) => Math.max(-1, Math.min(1, value));
      this.cursor = [inside(x + 2 * NUDGE * dx), inside(y + 2 * NUDGE * dy)];
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") {
      this.keep();
      this.use(this.cursor);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.keep();
      this.points = this.points.filter((point) => distance(point, this.cursor) > 2 * REACH);
      this.changed();
    } else if (isUndo(event)) {
      if (!this.past.length) return; // to the Undo of the page
      this.undo();
    } else if ("1234".includes(event.key)) {
      this.choose(Number(event.key) - 1);
    } else return;
    event.preventDefault();
  }

  choose(klass) {
    this.klass = klass;
    this.erasing = false;
    this.draw();
  }

  changed() {
    this.draw();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.report(packed(this.points)), PAUSE);
  }

  draw() {
    this.marks.replaceChildren(...this.points.map(([x, y, klass]) => this.mark(klass, x, y)));
    const [x, y] = this.cursor;
    this.cross.setAttribute("transform", `translate(${place(x)},${place(-y)})`);
    this.tools.replaceChildren(...this.buttons());
    const counts = this.data.names.map((_, k) => this.points.filter((p) => p[2] === k).length);
    const parts = counts.flatMap((n, k) => (n ? [`${n} of class ${this.data.names[k]}`] : []));
    this.said.textContent = parts.length
      ? `${parts.join(", ")}; room for ${this.data.most - this.points.length} more.`
      : "Nothing is drawn yet. Click or drag to set points.";
  }

  mark(klass, x, y) {
    const at = `translate(${place(x)},${place(-y)}) scale(5.5)`;
    return element("path", { d: SHAPES[klass % SHAPES.length], transform: at,
      fill: this.data.colors[klass % this.data.colors.length] });
  }

  buttons() {
    const focused = this.tools.contains(document.activeElement)
      && document.activeElement.dataset.tool;
    const classes = SHAPES.map((_, k) => {
      const sign = element("svg", { viewBox: "-1.5 -1.5 3 3", "aria-hidden": "true" });
      sign.append(element("path", { d: SHAPES[k], fill: this.data.colors[k] }));
      const chosen = !this.erasing && this.klass === k;
      return this.button(`Class ${this.data.names[k]}`, () => this.choose(k), chosen, sign);
    });
    const erase = () => { this.erasing = !this.erasing; this.draw(); };
    const made = [...classes, this.button("Erase", erase, this.erasing),
      this.button("Undo", () => this.undo()), this.button("Clear", () => this.clear())];
    if (focused) queueMicrotask(() => made.find((b) => b.dataset.tool === focused)?.focus());
    return made;
  }

  button(label, press, pressed, sign) {
    const made = document.createElement("button");
    made.type = "button";
    made.dataset.tool = label;
    if (sign) made.append(sign);
    made.append(label);
    if (pressed !== undefined) made.setAttribute("aria-pressed", pressed);
    made.addEventListener("click", press);
    return made;
  }
}

/** With Shift it is Redo, which the page has. */
function isUndo({ key, ctrlKey, metaKey, shiftKey }) {
  return key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey;
}

function element(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A coordinate in [-1, 1] as one of the drawing. */
function place(value) {
  return ((value / (1 + MARGIN * 2) + 1) / 2) * SIZE;
}

function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function wearStyle() {
  const address = new URL("./pad.css", import.meta.url).href;
  if (document.head.querySelector(`link[href="${address}"]`)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  document.head.append(link);
}
