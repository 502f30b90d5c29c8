// Words in the cells of a heatmap in the ink that is read there: Plotly has white and a weak grey.

const INKS = ["#FFFFFF", "#121922"];

/** Write into each cell in the ink of more contrast, and where there is no value in `text`. */
export function inkCells(plot, text) {
  for (const drawn of plot.querySelectorAll(".hm")) {
    const { trace } = drawn.__data__[0]; // as it was bound when it was drawn
    if (trace.textfont && trace.textfont.color !== "auto") continue;
    for (const label of drawn.querySelectorAll(".heatmap-label")) {
      const { z } = label.__data__;
      label.firstChild.style.fill = Number.isFinite(z) ? inkOn(shade(trace, z)) : text;
    }
  }
}

const inkOn = (color) =>
  INKS.reduce((best, ink) => (contrast(ink, color) > contrast(best, color) ? ink : best));

/** The colour of a value, between two of the scale. */
function shade({ colorscale, reversescale, zmin, zmax }, z) {
  const share = Math.min(1, Math.max(0, (z - zmin) / (zmax - zmin || 1)));
  const at = reversescale ? 1 - share : share;
  const next = Math.max(1, colorscale.findIndex(([place]) => place >= at));
  const [[low, from], [high, to]] = [colorscale[next - 1], colorscale[next]];
  const end = channels(to), part = (at - low) / (high - low || 1);
  return channels(from).map((begin, i) => begin + part * (end[i] - begin));
}

function contrast(...colors) {
  const [dark, light] = colors.map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color) {
  const [r, g, b] = channels(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function channels(color) {
  if (Array.isArray(color)) return color;
  if (!color.startsWith("#")) return color.match(/[\d.]+/g).slice(0, 3).map(Number);
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}
