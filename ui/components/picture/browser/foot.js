// The line under a picture: how many rows are selected, and the numbers and files behind it.

import { columnsOf, csv } from "./numbers.js";
import { plotlyText } from "./plotly.js";
import { described, rasterised } from "./png.js";

const SHOWN_ROWS = 200; // of the table on the page; the CSV file has them all

export class Foot {
  constructor(picture) {
    this.picture = picture;
    this.root = document.createElement("div");
    this.root.className = "mlscope-foot";
    this.root.innerHTML = MARKUP;
    this.part = (name) => this.root.querySelector(`[data-part="${name}"]`);
    this.part("clear").addEventListener("click", () => picture.select([]));
    this.part("numbers").addEventListener("toggle", () => this.show());
    for (const kind of ["png", "svg", "html", "csv"]) {
      this.part(kind).addEventListener("click", () => this.save(kind));
    }
  }

  show() {
    this.showSelection();
    if (this.part("numbers").open) this.fillTable();
  }

  showSelection() {
    const n = this.picture.selected.size;
    this.part("selection").hidden = n === 0;
    this.part("count").textContent = n === 1 ? "1 row selected" : `${n} rows selected`;
  }

  columns() {
    const { data } = this.picture;
    return columnsOf(data.table && JSON.parse(data.table), JSON.parse(data.figure));
  }

  fillTable() {
    const columns = this.columns();
    const n = columns[0]?.values.length ?? 0;
    const table = this.part("table");
    const numeric = columns.map(({ values }) => values.some((v) => typeof v === "number"));
    table.replaceChildren(line("th", columns.map(({ name }) => name), numeric));
    for (let i = 0; i < Math.min(n, SHOWN_ROWS); i += 1) {
      table.append(line("td", columns.map(({ values }) => values[i]), numeric));
    }
    this.part("more").textContent =
      n > SHOWN_ROWS ? `The first ${SHOWN_ROWS} of ${n} rows; the CSV has them all.` : "";
  }

  /** What the mode bar has beside Plotly's own tools. */
  modeBarButtons(Plotly) {
    return ["png", "svg"].map((kind) => ({
      name: `Download as ${kind.toUpperCase()}`,
      title: `Download as ${kind.toUpperCase()}`,
      icon: kind === "png" ? Plotly.Icons.camera : Plotly.Icons.disk,
      click: () => this.save(kind),
    }));
  }

  async save(kind) {
    const { data } = this.picture;
    const name = `${data.filename || data.key}.${kind}`;
    if (kind === "csv") download(name, csv(this.columns()), "text/csv");
    else if (kind === "html") download(name, await this.page(), "text/html");
    else if (kind === "svg") download(name, stamped(await this.image(kind), data.stamp), SVG);
    else fetched(name, described(await this.image(kind), data.stamp));
  }

  async image(kind) {
    const { plot, palette } = this.picture;
    // A file has no page behind it: it brings its background, and a font that is everywhere,
    // because the font of the page does not reach into an image and text would be cut off.
    const font = { ...plot.layout.font, family: "Arial, Helvetica, sans-serif" };
    const layout = { ...plot.layout, font, paper_bgcolor: palette.background };
    const { width, height } = plot.layout;
    const size = { format: kind, width, height, scale: kind === "png" ? 2 : 1 };
    const inks = [...plot.querySelectorAll(LABELS)].map((text) => text.style.fill);
    const image = await window.Plotly.toImage(
      { data: plot.data, layout }, inks.length ? { ...size, format: "svg", scale: 1 } : size);
    if (!inks.length) return image;
    const own = SVG_ADDRESS + encodeURIComponent(inInks(svgOf(image), inks));
    return kind === "svg" ? own : rasterised(own, size);
  }

  async page() {
    const { plot, palette, data } = this.picture;
    const layout = { ...plot.layout, paper_bgcolor: palette.background, width: undefined };
    const figure = JSON.stringify({ data: plot.data, layout }, typedAsList);
    return PAGE({
      title: escaped(data.filename || data.key),
      reading: escaped(data.reading),
      stamp: escaped(data.stamp),
      palette,
      config: JSON.stringify({ ...this.picture.theme.config, responsive: true }),
      figure: figure.replaceAll("<", "\\u003c"),
      code: await plotlyText(data.plotly),
      ink: await (await fetch(new URL("../mlscope.figures/ink.js", import.meta.url))).text(),
    });
  }
}

function line(tag, values, numeric) {
  const row = document.createElement("tr");
  values.forEach((value, j) => {
    const cell = document.createElement(tag);
    cell.textContent = value ?? "";
    if (numeric[j]) cell.className = "mlscope-number";
    row.append(cell);
  });
  return row;
}

function download(name, text, type) {
  fetched(name, URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` })));
}

function fetched(name, address) {
  follow(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function follow(name, address) {
  const link = Object.assign(document.createElement("a"), { download: name, href: address });
  document.body.append(link);
  link.click();
  link.remove();
}

const SVG = "image/svg+xml", SVG_ADDRESS = `data:${SVG},`;
const LABELS = ".heatmap-label text"; // words in the cells of a heatmap
const svgOf = (address) => decodeURIComponent(address.slice(address.indexOf(",") + 1));

/** The text of an SVG image with the words in cells in the inks that they have on the page. */
function inInks(text, inks) {
  const image = new DOMParser().parseFromString(text, SVG);
  image.querySelectorAll(LABELS).forEach((label, i) => (label.style.fill = inks[i]));
  return new XMLSerializer().serializeToString(image);
}

/** The text of an SVG image, with what it comes from as its metadata. */
function stamped(address, stamp) {
  return svgOf(address).replace(">", `><metadata>${escaped(stamp)}</metadata>`);
}

const typedAsList = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const PAGE = ({ title, reading, stamp, palette, figure, config, code, ink }) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="description" content="${stamp}"><title>${title}</title>
<style>body { margin: 2rem; font-family: system-ui, sans-serif;
  background: ${palette.background}; color: ${palette.text} }</style>
<div id="picture"></div><p>${reading}</p><p><small>${stamp}</small></p>
<script>${code}</script>
<script type="module">${ink}
const figure = ${figure};
Plotly.newPlot("picture", figure.data, figure.layout, ${config}).then((picture) => {
  const ink = () => inkCells(picture, "${palette.text}");
  picture.on("plotly_afterplot", ink);
  ink();
});
</script></html>
`;

const MARKUP = `
  <details data-part="numbers">
    <summary>Numbers and files</summary>
    <div class="mlscope-files" role="group" aria-label="Download">
      <button type="button" data-part="png">PNG</button>
      <button type="button" data-part="svg">SVG</button>
      <button type="button" data-part="html">HTML</button>
      <button type="button" data-part="csv">CSV</button>
    </div>
    <div class="mlscope-table" tabindex="0" role="region" aria-label="Numbers">
      <table data-part="table"></table>
    </div>
    <p data-part="more"></p>
  </details>
  <p data-part="selection" hidden>
    <span data-part="count" aria-live="polite"></span>
    <button type="button" data-part="clear">Clear</button>
  </p>`;
