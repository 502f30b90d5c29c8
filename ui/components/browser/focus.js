// Who works by keys goes on where they were, although Streamlit puts what they are in elsewhere.

let at = null; // what has the focus, or lost it only because it left the page

document.addEventListener("focusin", (event) => (at = event.target));
document.addEventListener("focusout", () => setTimeout(forget));
document.addEventListener("pointerdown", (event) => at?.contains(event.target) || (at = null));

/** What lost the focus and is still there gave it up. */
function forget() {
  if (at?.isConnected && !at.contains(document.activeElement)) at = null;
}

/** Give the focus back to what is in `root`, which is in the page again, where nothing has it.
 *
 * How long it was away does not matter: a busy browser takes seconds.
 */
export function resumeFocus(root) {
  if (document.activeElement === document.body && root.contains(at)) {
    at.focus({ preventScroll: true });
  }
}
