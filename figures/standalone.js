// Draws the pictures of a page that stands alone, and draws them again when light turns to dark.
// What browser/ink.js has stands before this, in one module.
const theme = JSON.parse(document.getElementById("theme").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

// Figures come in light colours; dark is each of them replaced by its namesake.
const swap = new Map();
for (const name of Object.keys(theme.light)) {
  swap.set(theme.light[name].toLowerCase(), theme.dark[name]);
  swap.set(channels(theme.light[name]).join(), channels(theme.dark[name]).join());
}
const recoloured = (text) => text
  .replace(/#[0-9a-f]{6}\b/gi, (color) => swap.get(color.toLowerCase()) ?? color)
  .replace(/rgba\((\d+), ?(\d+), ?(\d+),/g, (color, ...parts) => {
    const found = swap.get(parts.slice(0, 3).join());
    return found ? `rgba(${found},` : color;
  });

function draw() {
  const coloured = dark.matches ? recoloured : (text) => text;
  const template = JSON.parse(coloured(JSON.stringify(theme.template)));
  for (const place of document.querySelectorAll(".picture")) {
    const figure = JSON.parse(coloured(place.nextElementSibling.textContent));
    const layout = { ...figure.layout, template, width: undefined, autosize: true };
    const touch = matchMedia("(hover: none)").matches;
    if (touch) layout.dragmode = false; // a finger scrolls the page
    const config = { ...theme.config, responsive: true, displayModeBar: touch ? false : "hover" };
    const ink = () => inkCells(place, theme[dark.matches ? "dark" : "light"].text);
    Plotly.react(place, figure.data, layout, config).then(() => {
      ink();
      place.removeAllListeners("plotly_afterplot");
      place.on("plotly_afterplot", ink);
    });
  }
}

dark.addEventListener("change", draw);
draw();
