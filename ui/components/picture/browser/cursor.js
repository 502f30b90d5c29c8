// Rows by keyboard: arrow keys go from mark to mark along the axis, Enter selects the row.

const HINT = "Arrow keys go from row to row, Enter selects, Escape clears.";

export class Cursor {
  constructor(picture) {
    this.picture = picture;
    this.at = -1;
    this.hint = document.createElement("p");
    this.hint.className = "mlscope-hint";
    this.hint.textContent = HINT;
    this.said = document.createElement("p");
    this.said.className = "mlscope-said";
    this.said.setAttribute("aria-live", "polite");
    picture.plot.addEventListener("keydown", (event) => this.key(event));
    picture.plot.addEventListener("blur", () => this.leave());
  }

  /** Take the marks that are drawn now; whether there is one to go to. */
  take() {
    this.marks = marksOf(this.picture.plot._fullData, this.picture.rows);
    this.at = Math.min(this.at, this.marks.length - 1);
    this.hint.hidden = !this.marks.length || this.picture.player.recording !== null;
    return this.marks.length > 0;
  }

  key(event) {
    const { plot, player } = this.picture;
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (event.target !== plot || player.recording || modified) return;
    const n = this.marks?.length ?? 0;
    const to = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: n - 1 }[event.key];
    if (n && to !== undefined) this.goTo(Math.min(Math.max(to, 0), n - 1));
    else if (n && (event.key === "Enter" || event.key === " ")) this.toggle();
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
  }

  goTo(at) {
    this.at = at;
    const { curve, mark, row, subplot } = this.marks[at];
    window.Plotly.Fx.hover(this.picture.plot, [{ curveNumber: curve, pointNumber: mark }], subplot);
    this.said.textContent = `Row ${row + 1}${this.picture.selected.has(row) ? ", selected" : ""}`;
  }

  toggle() {
    if (this.at < 0) return;
    const rows = new Set(this.picture.selected);
    const { row } = this.marks[this.at];
    if (!rows.delete(row)) rows.add(row);
    this.picture.select([...rows].sort((a, b) => a - b));
  }

  clear() {
    this.picture.select([]);
    this.leave();
  }

  leave() {
    if (this.at < 0) return;
    this.at = -1;
    window.Plotly.Fx.unhover(this.picture.plot);
  }
}

/** The marks that stand for one row each, every row once, from left to right. */
function marksOf(traces, rows) {
  const found = new Map();
  traces.forEach((trace, curve) => {
    if (trace.visible !== true || !trace.type.startsWith("scatter") || !trace.xaxis) return;
    rows[curve]?.forEach((row, mark) => {
      if (!Number.isInteger(row) || found.has(row)) return;
      found.set(row, { curve, mark, row, x: trace.x[mark], subplot: trace.xaxis + trace.yaxis });
    });
  });
  return [...found.values()].sort((a, b) => a.x - b.x || a.row - b.row);
}
