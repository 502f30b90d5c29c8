// Ctrl+Z presses Undo of the strip, Ctrl+Y and Ctrl+Shift+Z press Redo. Where text is written the
// keys stay with the text: a shortcut of Streamlit's own buttons would take them away from it. A
// component that took the key for itself, as the drawing pad does, has done what was meant.

const BOXES = "input:not([type=checkbox], [type=radio], [type=range]), textarea, [contenteditable=true]";

document.addEventListener("keydown", (event) => {
  const name = event.defaultPrevented ? "" : walkOf(event);
  if (!name || writes(event) || document.querySelector("[role=dialog]")) return;
  const button = buttonOf(name);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

function walkOf({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (!(ctrlKey || metaKey) || altKey) return "";
  if (key.toLowerCase() === "z") return shiftKey ? "Redo" : "Undo";
  return key.toLowerCase() === "y" && !shiftKey ? "Redo" : "";
}

/** Whether the key was pressed where letters go; a component has an inside of its own. */
function writes(event) {
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(BOXES) !== null;
}

/** The button in the strip that can be seen: Streamlit keeps a hidden one for narrow screens. */
function buttonOf(name) {
  const buttons = [...document.querySelectorAll(`.st-key-strip-${name} button`)];
  return buttons.find((button) => button.offsetParent !== null);
}
