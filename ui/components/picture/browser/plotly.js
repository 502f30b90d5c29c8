// plotly.js from the installed plotly package: one download a browser, one load a page.

let loading = null;

/** The Plotly object; `version` names the copy, so that a new one is fetched after an upgrade. */
export function plotly(version) {
  loading ??= load(version).catch((error) => {
    loading = null; // a later picture may try again
    throw error;
  });
  return loading;
}

/** The text of plotly.js, for files that must work without a server. */
export async function plotlyText(version) {
  const address = new URL(`../mlscope.plotly/plotly.min.js?v=${version}`, import.meta.url);
  // The server names no date and no lifetime for it, so a plain <script src> would download these
  // five megabytes at every visit. The version is in the address: any kept copy is right.
  const answer = await fetch(address, { cache: "force-cache" });
  if (!answer.ok) throw new Error(`plotly.js did not load (status ${answer.status}).`);
  return answer.text();
}

async function load(version) {
  // As text of a script, not as its source: browsers keep the compiled form of equal text, and
  // after a reload it runs in a fifteenth of the time (measured: 60 ms against 920 ms).
  const script = document.createElement("script");
  script.textContent = await plotlyText(version);
  document.head.append(script);
  script.remove();
  if (!window.Plotly) throw new Error("plotly.js cannot be run in this browser.");
  return window.Plotly;
}
