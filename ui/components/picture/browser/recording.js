// A recording unpacked: for every frame, the value of every attribute that the player drives.

import { unpacked } from "./arrays.js";

/** The recording that `text` (JSON from figures/recording.py) holds. */
export function readRecording(text) {
  const sent = JSON.parse(text);
  const heldOut = sent.heldOut ? [...unpacked(sent.heldOut)] : null;
  const objective = [...unpacked(sent.objective)];
  return { ...sent, objective, heldOut, frames: filledIn(sent.frames) };
}

// A frame sends only what changed. Unchanged values are the same object in both frames.
function filledIn(frames) {
  let now = {};
  return frames.map((changes) => {
    now = { ...now };
    for (const [trace, attributes] of Object.entries(changes)) {
      now[trace] = { ...now[trace] };
      for (const [name, value] of Object.entries(attributes)) now[trace][name] = unpacked(value);
    }
    return now;
  });
}

/** What must be restyled to go from frame `from` (null: from anything) to frame `to`. */
export function changes(from, to) {
  return Object.entries(to).flatMap(([trace, attributes]) => {
    const changed = Object.entries(attributes).filter(
      ([name, value]) => from?.[trace]?.[name] !== value);
    return changed.length ? [[Number(trace), Object.fromEntries(changed)]] : [];
  });
}

/** Attributes as Plotly knows them: "class" becomes colours and symbols, hollow stays hollow. */
export function styled({ class: classes, ...attributes }, trace, theme) {
  if (classes === undefined) return attributes;
  const symbols = String(trace.marker?.symbol).split(",");  // rows of no class are always open
  const hollow = symbols.every((symbol) => symbol.endsWith("-open")) ? "-open" : "";
  const looks = new Map();
  for (const k of new Set(classes)) looks.set(k, look(k, hollow, theme));
  return {
    ...attributes,
    "marker.color": Array.from(classes, (k) => looks.get(k).color),
    "marker.symbol": Array.from(classes, (k) => looks.get(k).symbol),
  };
}

function look(k, hollow, { colors, symbols, noClass }) {
  if (k < 0) return noClass;
  const n = symbols.length;
  const symbol = symbols[(k + Math.floor(k / n)) % n] + hollow;
  return { color: colors[k % colors.length], symbol };
}
