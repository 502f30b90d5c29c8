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
  // Browsers keep the compiled form of a text: that of a <script> under the address of its page,
  // which every control changes, and that of what is evaluated under nothing else. So a page with
  // other settings runs it in 0.1 seconds, not in 3 to 5 (measured on a busy machine).
  (0, eval)(await plotlyText(version)); // not within this function, whose names it must not see
  if (!window.Plotly) throw new Error("plotly.js cannot be run in this browser.");
  return window.Plotly;
}
