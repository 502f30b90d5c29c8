// The numbers behind a picture as columns, and as CSV.

import { unpacked } from "./arrays.js";

/** Columns {name, values}: the table that Python gave, or else what the traces hold. */
export function columnsOf(table, figure) {
  if (table) return table.map(({ name, values }) => ({ name, values: plain(unpacked(values)) }));
  const lines = figure.data.filter((trace) => trace.hoverinfo !== "skip").flatMap(linesOf);
  const names = [...new Set(lines.flatMap(Object.keys))];
  return names.map((name) => ({ name, values: lines.map((it) => it[name] ?? null) }));
}

/**
 * The columns as CSV, their names first. Text that a spreadsheet would execute is made harmless by a
 * quote mark. What they come from is in the name of the file: a line above would be taken for names.
 */
export function csv(columns) {
  const n = columns[0]?.values.length ?? 0;
  const lines = [columns.map(({ name }) => cell(name))];
  for (let i = 0; i < n; i += 1) lines.push(columns.map(({ values }) => cell(values[i])));
  return lines.map((cells) => cells.join(",")).join("\r\n") + "\r\n";
}

function linesOf(trace) {
  const columns = trace.dimensions
    ? trace.dimensions.map(({ label, values }) => [label, plain(unpacked(values))])
    : ["x", "y", "z", "r", "theta", "text"].map((name) => [name, plain(unpacked(trace[name]))]);
  const rows = trace.meta === "rows" ? plain(unpacked(trace.customdata)) : undefined;
  const held = [["row", rows], ...columns].filter(([, values]) => Array.isArray(values));
  const made = Array.isArray(held.find(([name]) => name === "z")?.[1][0])
    ? cellsOf(Object.fromEntries(held))
    : marksOf(held);
  return trace.name ? made.map((it) => ({ series: trace.name, ...it })) : made;
}

function marksOf(columns) {
  const n = Math.max(0, ...columns.map(([, values]) => values.length));
  return Array.from({ length: n }, (_, i) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[i]])));
}

function cellsOf({ x, y, z }) {
  return z.flatMap((line, i) => line.map((value, j) => (
    { x: x?.[j] ?? j, y: y?.[i] ?? i, z: value })));
}

// A float32 shown as a double would have a tail of digits that nobody measured.
function plain(values) {
  if (values instanceof Float32Array) return Array.from(values, (v) => Number(v.toPrecision(7)));
  if (ArrayBuffer.isView(values)) return Array.from(values);
  return Array.isArray(values) ? values.map((v) => (ArrayBuffer.isView(v) ? plain(v) : v)) : values;
}

const EXECUTED = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i; // no spreadsheet executes one

function cell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (typeof value === "number") return String(value);
  const text = EXECUTED.test(value) && !NUMBER.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
