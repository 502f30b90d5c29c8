// Light and dark: figures arrive in light colours; dark is each of them replaced by its namesake.

/** The palette of `theme` that fits the page `element` stands in. */
export function paletteFor(element, theme) {
  const background = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  return isDark(background) ? theme.dark : theme.light;
}

/** A copy of a figure, or any part of one, in the colours of `palette`. */
export function recoloured(figure, theme, palette) {
  if (palette === theme.light) return figure;
  const swap = new Map(
    Object.keys(theme.light).map((name) => [theme.light[name].toUpperCase(), palette[name]]),
  );
  return replaced(figure, swap);
}

function replaced(it, swap) {
  if (typeof it === "string") return replacedText(it, swap);
  if (Array.isArray(it)) return it.map((part) => replaced(part, swap));
  if (it === null || typeof it !== "object" || it.bdata) return it;
  return Object.fromEntries(Object.entries(it).map(([key, part]) => [key, replaced(part, swap)]));
}

const RGBA = /^rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)$/;

function replacedText(text, swap) {
  const found = RGBA.exec(text);
  if (!found) return swap.get(text.toUpperCase()) ?? text;
  const hex = "#" + found.slice(1, 4).map((part) => twoDigits(Number(part))).join("").toUpperCase();
  const dark = swap.get(hex);
  return dark ? `rgba(${channels(dark).join(",")},${found[4]})` : text;
}

function isDark(color) {
  const [r, g, b] = channels(color);
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

function channels(color) {
  if (!/^#[0-9a-f]{6}/i.test(color)) return (color.match(/\d+/g) ?? [255, 255, 255]).map(Number);
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

const twoDigits = (n) => n.toString(16).padStart(2, "0");
