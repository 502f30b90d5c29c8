// A handle on a curve: dragged, or moved by keys, from value to value whose answers came with the
// picture. Nobody is asked before it is let go.

const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };
const REST = 600; // milliseconds after the last key until the value counts as chosen

export class Handle {
  constructor(picture) {
    this.picture = picture;
    this.root = document.createElement("div");
    this.root.className = "mlscope-handle";
    this.root.tabIndex = 0;
    this.root.hidden = true;
    this.root.setAttribute("role", "slider");
    this.words = document.createElement("span");
    this.words.setAttribute("aria-hidden", "true"); // a slider says its value itself
    this.root.append(this.words);
    this.root.addEventListener("pointerdown", (event) => this.take(event));
    this.root.addEventListener("pointermove", (event) => this.drag(event));
    this.root.addEventListener("pointerup", () => this.letGo());
    this.root.addEventListener("pointercancel", () => this.letGo());
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("blur", () => this.isWaiting && this.choose());
  }

  /** Take the handle of the figure that was sent, and stand where the drawn picture has it. */
  show() {
    const { data } = this.picture;
    if (this.figure !== data.figure) {
      this.figure = data.figure;
      this.places = JSON.parse(data.figure).layout.meta?.handle ?? null;
      if (this.places && !this.isHeld) this.at = this.places.at;
    }
    this.stand();
  }

  stand() {
    const axes = this.picture.plot._fullLayout;
    const wasHere = document.activeElement === this.root;
    const spot = this.places && axes?.xaxis && this.spots()[this.at];
    const isSeen = Boolean(spot) && !this.picture.data.stale && inside(spot.x, axes.xaxis) &&
      inside(spot.y, axes.yaxis);
    this.returns = !isSeen && (wasHere || this.returns);
    this.root.hidden = !isSeen;
    if (!isSeen) return;
    const { plot } = this.picture;
    this.root.style.left = `${plot.offsetLeft + axes.xaxis._offset + spot.x}px`;
    this.root.style.top = `${plot.offsetTop + axes.yaxis._offset + spot.y}px`;
    this.say();
    if (this.returns) this.root.focus({ preventScroll: true });
    this.returns = false;
  }

  /** Where on the plot its places are, in pixels. */
  spots() {
    const { xaxis, yaxis } = this.picture.plot._fullLayout;
    return this.places.x.map((x, i) => ({ x: xaxis.d2p(x), y: yaxis.d2p(this.places.y[i]) }));
  }

  say() {
    const { label, says } = this.places;
    this.words.textContent = says[this.at];
    const told = { label, valuemin: 0, valuemax: says.length - 1, valuenow: this.at,
      valuetext: says[this.at] };
    for (const [name, text] of Object.entries(told)) this.root.setAttribute(`aria-${name}`, text);
    const share = this.at / Math.max(says.length - 1, 1);
    this.root.dataset.side = share < 0.3 ? "start" : share > 0.7 ? "end" : "middle";
  }

  take(event) {
    if (event.button) return;
    this.isHeld = true;
    this.root.setPointerCapture(event.pointerId);
    this.root.focus({ preventScroll: true });
    event.preventDefault();
  }

  drag(event) {
    if (!this.isHeld) return;
    const { plot } = this.picture;
    const x = event.clientX - plot.getBoundingClientRect().left - plot._fullLayout.xaxis._offset;
    const far = this.spots().map((spot) => Math.abs(spot.x - x));
    this.goTo(far.indexOf(Math.min(...far)));
  }

  letGo() {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.choose();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.places.x.length - 1;
    const to = { Home: 0, End: last }[event.key] ?? this.at + (KEYS[event.key] ?? NaN);
    if (Number.isNaN(to)) return;
    event.preventDefault();
    event.stopPropagation();
    this.goTo(Math.min(Math.max(to, 0), last));
    clearTimeout(this.resting);
    this.isWaiting = true;
    this.resting = setTimeout(() => this.choose(), REST);
  }

  goTo(at) {
    this.at = at;
    this.stand();
  }

  /** Tell Python the value at which it stands, if it is another one. */
  choose() {
    clearTimeout(this.resting);
    this.isWaiting = false;
    if (this.places && this.at !== this.places.at) {
      this.picture.report.setTriggerValue("handle", this.places.values[this.at]);
    }
  }
}

const inside = (at, axis) => at >= -1 && at <= axis._length + 1;
