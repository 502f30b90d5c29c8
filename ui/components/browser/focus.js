// Who works by keys goes on where they were, although Streamlit puts what they are in elsewhere.

const AWAY = 1000; // milliseconds after which it is gone, and its focus with it

/** Keeps the focus of what is in `root` while that is moved in the page. */
export class Focus {
  constructor(root) {
    this.root = root;
    root.addEventListener("focusin", (event) => (this.at = event.target));
    root.addEventListener("focusout", () => setTimeout(() => this.leave()));
  }

  /** Forget it, unless it was lost only because `root` is not in the page. */
  leave() {
    if (this.root.contains(document.activeElement)) return;
    if (this.root.isConnected) this.at = null;
    else setTimeout(() => this.root.isConnected || (this.at = null), AWAY);
  }

  /** Give it back once `root` is in the page again, where nothing else has it. */
  resume() {
    if (document.activeElement === document.body) this.at?.focus({ preventScroll: true });
  }
}
