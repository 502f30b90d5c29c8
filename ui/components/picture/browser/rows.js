// Which rows of the table the marks of a trace stand for, and which marks a selection lights.

import { unpacked } from "./arrays.js";

/** For each trace, the row (or list of rows) of each mark; null where marks are not rows. */
export function rowsOfMarks(traces, given) {
  return traces.map((trace, i) => {
    if (given?.[i] !== undefined) return unpacked(given[i]);
    return trace.meta === "rows" ? unpacked(trace.customdata) : null;
  });
}

/** The marks of a trace, by index, that stand for a selected row; null if nothing is selected. */
export function selectedMarks(rows, selected) {
  if (!selected.size || rows === null) return null;
  const marks = [];
  rows.forEach((row, mark) => {
    if (each(row).some((r) => selected.has(r))) marks.push(mark);
  });
  return marks;
}

/** The rows under the points of a Plotly event, ascending, each once. */
export function rowsUnder(points, rows) {
  const found = new Set();
  for (const point of points ?? []) {
    const of = rows[point.curveNumber];
    for (const mark of of === null ? [] : marksOf(point)) {
      for (const row of each(at(of, mark))) found.add(row);
    }
  }
  return [...found].filter(Number.isInteger).sort((a, b) => a - b);
}

// A bar of a histogram stands for several marks, a cell of a heatmap has two coordinates.
const marksOf = (point) => point.pointNumbers ?? [point.pointNumber ?? point.pointIndex];
const at = (of, mark) => (Array.isArray(mark) ? of[mark[0]]?.[mark[1]] : of[mark]);
const each = (row) => (Array.isArray(row) ? row.flat(Infinity) : row == null ? [] : [row]);
