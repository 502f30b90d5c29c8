// Axes prepared so that a person's zoom stays while the data, and with them the ranges, change.

const SYMBOL = 50, LETTER = 7; // pixels of an entry of a legend, and of each letter of its name
export const KEY = 19; // pixels of a line of a legend
const NOTE = 34; // and of what is written between it and the axes
const AXIS = /^([xy])axis(\d*)$/;

/**
 * Give each axis of `layout` its revision, and its range as the one that autorange finds.
 *
 * Axes of one scale keep the range that they ask for: where Plotly has to widen one of them, it cuts
 * what autorange found for the other, and rows with it.
 */
export function keepZoom(layout, traces, revision) {
  const isOfOneScale = keepsShape({ layout });
  for (const [name, axis] of Object.entries(layout)) {
    const found = AXIS.exec(name);
    if (!found) continue;
    // Another variable on the axis is another picture: a zoom into the old one means nothing.
    axis.uirevision ??= `${revision} ${axis.title?.text ?? ""}`;
    const [, letter, number] = found;
    if (!isOfOneScale && isLinear(axis, letter, letter + number, traces)) freeRange(axis);
    // Said even where it goes without saying: else Plotly keeps the range that it found for a figure
    // which said so, and takes it for one that this figure asks for.
    if (!axis.range) axis.autorange ??= true;
  }
}

// Plotly keeps a zoom only while the figure itself asks for the same range as before. A range
// that is asked for through autorange never differs, and is also what a double click returns to.
function freeRange(axis) {
  const [from, to] = axis.range ?? [];
  if (!Number.isFinite(from) || !Number.isFinite(to) || from === to) return;
  delete axis.range;
  axis.autorange = from < to ? true : "reversed";
  axis.autorangeoptions = { minallowed: Math.min(from, to), maxallowed: Math.max(from, to) };
}

function isLinear(axis, letter, id, traces) {
  if (axis.type) return axis.type === "linear";
  return traces
    .filter((trace) => (trace[`${letter}axis`] ?? letter) === id)
    .every((trace) => isNumeric(trace[letter]));
}

function isNumeric(values) {
  if (!Array.isArray(values)) return true; // absent, or a typed array
  return values.every((value) => value === null || typeof value === "number");
}

/** How many lines of a figure have a name at its left. */
export function namedLines({ data, layout }) {
  const names = layout.yaxis?.ticktext ?? data[0]?.y;
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names.length : 0;
}

/** How many rows of axes stand one below the other. */
export const rowsOfAxes = (figure) => placesOfAxes(figure, "y");

/** How many axes stand one beside the other. */
export const columnsOfAxes = (figure) => placesOfAxes(figure, "x");

function placesOfAxes({ layout }, letter) {
  const axes = Object.entries(layout).filter(([name]) => AXIS.exec(name)?.[1] === letter);
  return new Set(axes.map(([, axis]) => axis.domain?.[0] ?? 0)).size;
}

/** Whether a figure keeps its shape whatever room it has: a unit is as long across as up, within ends. */
export function keepsShape({ layout }) {
  const axes = Object.entries(layout).filter(([name]) => AXIS.test(name)).map(([, axis]) => axis);
  const free = axes.every(({ constrain, range }) => constrain === "range" && !range);
  return !free && axes.some(({ scaleanchor }) => scaleanchor);
}

/** How many lines the legend above a picture takes, which Plotly sets in columns as wide as its
 * longest name if one line is not enough; none where there is none, or it stands elsewhere. */
export function linesOfLegend({ data, layout }, width) {
  if (layout.showlegend === false || (layout.legend?.orientation ?? "h") !== "h") return 0;
  const groups = new Set(), names = [];
  for (const { name, showlegend, legendgroup } of data) {
    if (!name || showlegend === false || (legendgroup && groups.has(legendgroup))) continue;
    groups.add(legendgroup);
    names.push(SYMBOL + LETTER * name.length);
  }
  if (!layout.showlegend && names.length < 2) return 0; // Plotly names a single trace where asked
  if (names.reduce((sum, each) => sum + each, 0) <= width) return Math.min(names.length, 1);
  return Math.ceil(names.length / Math.max(1, Math.floor(width / Math.max(...names))));
}

/** Keep what is written above the axes clear of a legend of so many lines. */
export function keepClear(layout, lines) {
  const above = layout.annotations?.some(
    ({ y, yref, yanchor }) => y === 1 && yref === "paper" && yanchor === "bottom");
  if (!lines || !above) return;
  layout.margin = { ...layout.margin, t: Math.max(layout.margin?.t ?? 0, lines * KEY + NOTE) };
}
