// The picture of a value beside the one that a slider stands at, drawn as the slider moves to it.

let known = null; // what was sent last: { picture, beside, control, values }

/** Called by Streamlit at the first mount and whenever the data change. */
export default function mount({ data }) {
  known = data;
  return () => { if (known === data) known = null; };
}

/** Show what is known of the value that a control has come to: it may still come back to where it was. */
function foresee(slider) {
  const sheet = known?.values[slider.getAttribute("aria-valuetext")];
  if (!sheet || !slider.closest(`.${known.control}`)) return;
  const shown = picture();
  if (shown?.sent.version !== known.beside) return; // of other settings than these
  if (shown.data.version !== (sheet.version ?? known.beside)) shown.foresee(sheet); // said repeatedly
}

/** The picture that is meant, known to the element that Streamlit gave it. */
function picture() {
  const all = [...document.querySelectorAll(".mlscope-picture")].map((root) => root.parentElement.picture);
  return all.find((one) => one?.data.key === known.picture);
}

new MutationObserver((changes) => changes.forEach(({ target }) => foresee(target)))
  .observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-valuetext"] });
