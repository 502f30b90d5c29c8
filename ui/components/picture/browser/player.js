// The player under a picture: it plays a recording in the browser, without asking the server.

import { changes, readRecording, styled } from "./recording.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const SECONDS = 6; // how long a whole recording plays at speed 1, within these frame rates
const [SLOWEST, FASTEST] = [2, 20];
const opened = new Set(); // players with a recording: some show one thing in several pictures

export class Player {
  constructor(picture) {
    this.picture = picture;
    this.recording = null;
    this.at = 0; // frame the person is at
    this.shown = null; // frame the picture is at
    this.speed = 1;
    this.run = 0; // counts starts and stops, so that an old loop knows it is over
    this.root = document.createElement("div");
    this.root.className = "mlscope-player";
    this.part = (name) => this.root.querySelector(`[data-part="${name}"]`);
  }

  /** Make the controls, which most pictures never need. */
  build() {
    this.root.innerHTML = MARKUP;
    const press = (name, action) => this.part(name).addEventListener("click", action);
    press("offer", () => this.open(true));
    press("close", () => this.open(false));
    press("first", () => this.stopAndGo(0));
    press("back", () => this.stopAndGo(this.at - 1));
    press("play", () => this.toggle());
    press("forward", () => this.stopAndGo(this.at + 1));
    press("last", () => this.stopAndGo(this.last));
    press("link", () => this.picture.report.setTriggerValue("step", this.step(this.at)));
    const speed = this.part("speed");
    speed.append(...SPEEDS.map((s) => new Option(`${s}×`, s, s === 1, s === 1)));
    speed.addEventListener("change", () => (this.speed = Number(speed.value)));
    this.scrubbing(this.part("track"));
    this.picture.root.addEventListener("keydown", (event) => this.key(event));
    this.picture.plot.addEventListener("pointerdown", () => {
      if (this.recording) this.picture.plot.focus({ preventScroll: true }); // Plotly prevents it
    });
  }

  /** Take over what Python sent; the same recording goes on where it is. */
  show({ player }) {
    this.root.hidden = !player;
    if (!this.root.hasChildNodes()) {
      if (!player) return;
      this.build();
    }
    const text = player?.recording ?? null;
    this.closes = player?.closes ?? false;
    if (text !== this.text) this.load(text, player?.step);
    else if (text && player.step !== this.asked) this.stopAndGo(this.frameOf(player.step));
    this.asked = player?.step;
    if (player?.said) this.opening = false; // the recording cannot be made: try again later
    this.part("said").textContent = player?.said ?? "";
    this.part("offer").hidden = text !== null;
    this.part("offer").disabled = this.opening && text === null;
    this.part("close").hidden = !this.closes;
    this.part("open").hidden = text === null;
  }

  load(text, step) {
    this.stop();
    this.text = text;
    this.recording = text === null ? null : readRecording(text);
    this.shown = null;
    this.picture.plot.tabIndex = this.recording ? 0 : -1;
    opened[this.recording ? "add" : "delete"](this);
    if (!this.recording) {
      this.picture.say();
      return;
    }
    // Whoever pressed Play sees it from its first step; a link leads to its own.
    const begins = this.opening && (step === null || step === undefined);
    this.at = begins ? 0 : this.frameOf(step);
    this.drawCurve();
    this.tell();
    if (this.opening) setTimeout(() => this.part("play").focus({ preventScroll: true }));
    if (begins && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      setTimeout(() => this.play());
    }
    this.opening = false;
  }

  open(wanted) {
    this.opening = wanted;
    this.part("offer").disabled = wanted;
    this.picture.report.setStateValue("open", wanted);
  }

  get last() {
    return this.recording.frames.length - 1;
  }

  /** Whether it plays the steps of a fit, and is not at their end. */
  get isBefore() {
    return Boolean(this.recording) && this.closes && this.at < this.last;
  }

  step(frame) {
    return this.recording.steps[frame];
  }

  /** The frame that shows this step: the last one at or before it; the end if none is asked. */
  frameOf(step) {
    if (step === null || step === undefined) return this.last;
    return Math.max(0, this.recording.steps.findLastIndex((s) => s <= step));
  }

  /** Put the present frame into traces that are about to be drawn. */
  applyTo(traces) {
    if (!this.recording) return;
    for (const [i, attributes] of changes(null, this.recording.frames[this.at])) {
      for (const [name, value] of Object.entries(this.look(attributes, traces[i]))) {
        setIn(traces[i], name.split("."), value);
      }
    }
    this.shown = this.at;
  }

  look(attributes, trace) {
    return styled(attributes, trace, this.picture.theme);
  }

  /** Go to a frame, and to the same step in the pictures that are played with this one. */
  goTo(frame) {
    const moved = this.moveTo(frame);
    const step = this.step(this.at);
    for (const other of this.followers()) {
      if (other.playing) other.stop(); // one leads
      other.moveTo(other.frameOf(step));
    }
    return moved;
  }

  /** Words at once, the picture as soon as it can. */
  moveTo(frame) {
    this.at = Math.min(Math.max(frame, 0), this.last);
    this.tell();
    return this.picture.queue(() => this.put());
  }

  followers() {
    const { follows } = this.recording;
    return [...opened].filter((other) =>
      other !== this && follows && other.recording.follows === follows &&
      other.picture.root.isConnected);
  }

  async put() {
    if (!this.recording || this.shown === null || this.shown === this.at) return;
    const { frames } = this.recording;
    const changed = changes(frames[this.shown], frames[this.at]);
    this.shown = this.at;
    const update = {};
    changed.forEach(([i, attributes], n) => {
      const now = this.look(attributes, this.picture.plot.data[i]);
      for (const [name, value] of Object.entries(now)) {
        update[name] ??= Array(changed.length).fill(undefined);
        update[name][n] = value;
      }
    });
    if (changed.length) {
      await window.Plotly.restyle(this.picture.plot, update, changed.map(([i]) => i));
    }
  }

  stopAndGo(frame) {
    this.stop();
    return this.goTo(frame);
  }

  stop() {
    this.run += 1;
    this.playing = false;
    if (this.recording) this.tell();
  }

  toggle() {
    if (this.playing) this.stop();
    else this.play();
  }

  async play() {
    const run = (this.run += 1);
    this.playing = true;
    await this.goTo(this.at === this.last ? 0 : this.at);
    let due = performance.now();
    while (run === this.run && this.at < this.last) {
      due = Math.max(due + this.pause(), performance.now()); // a slow picture plays slower
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      if (run === this.run) await this.goTo(this.at + 1);
    }
    if (run === this.run) this.stop();
  }

  pause() {
    const rate = this.recording.frames.length / SECONDS;
    return 1000 / (this.speed * Math.min(Math.max(rate, SLOWEST), FASTEST));
  }

  key(event) {
    if (!this.recording || event.altKey || event.ctrlKey || event.metaKey) return;
    const inside = this.part("open").contains(event.target) || event.target === this.picture.plot;
    if (!inside || event.target.closest("select")) return;
    if (event.key === " " && event.target.closest("button")) return; // presses that button
    const action = this.keys()[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  keys() {
    return {
      ArrowLeft: () => this.stopAndGo(this.at - 1),
      ArrowRight: () => this.stopAndGo(this.at + 1),
      Home: () => this.stopAndGo(0),
      End: () => this.stopAndGo(this.last),
      " ": () => this.toggle(),
    };
  }

  scrubbing(track) {
    const follow = (event) => {
      const { left, width } = track.getBoundingClientRect();
      this.stopAndGo(Math.round(((event.clientX - left) / width) * this.last));
    };
    track.addEventListener("pointerdown", (event) => {
      track.setPointerCapture(event.pointerId);
      follow(event);
    });
    track.addEventListener("pointermove", (event) => {
      if (track.hasPointerCapture(event.pointerId)) follow(event);
    });
  }

  drawCurve() {
    const { objective, heldOut } = this.recording;
    const finite = [...objective, ...(heldOut ?? [])].filter(Number.isFinite);
    const [low, high] = [Math.min(...finite), Math.max(...finite)];
    const y = (v) => (high > low ? 30 - (28 * (v - low)) / (high - low) : 16);
    const points = (values) => values.flatMap((v, k) =>
      Number.isFinite(v) ? [`${(100 * k) / Math.max(this.last, 1)},${y(v).toFixed(2)}`] : []);
    this.part("curve").setAttribute("points", points(objective).join(" "));
    this.part("judged").setAttribute("points", points(heldOut ?? []).join(" "));
  }

  tell() {
    this.picture.say();
    const { recording, at } = this;
    const place = `step ${this.step(at)} of ${this.step(this.last)}`;
    const objective = recording.objective[at];
    const heldOut = recording.heldOut?.[at];
    let value = Number.isFinite(objective) ? `, ${recording.label} ${short(objective)}` : "";
    if (Number.isFinite(heldOut)) value += `, on held-out rows ${short(heldOut)}`;
    this.part("step").textContent = place;
    this.part("sentence").textContent = recording.sentences[at];
    this.part("sentence").setAttribute("aria-live", this.playing ? "off" : "polite");
    this.part("position").style.left = `${(100 * at) / Math.max(this.last, 1)}%`;
    const track = this.part("track");
    const both = recording.heldOut ? ", dashed on held-out rows" : "";
    track.title = `${recording.label}${both}: drag to a step`;
    for (const [name, number] of Object.entries({ min: 0, max: this.last, now: at })) {
      track.setAttribute(`aria-value${name}`, number);
    }
    track.setAttribute("aria-valuetext", place + value);
    this.part("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.part("play").classList.toggle("mlscope-playing", this.playing);
    for (const name of ["first", "back"]) this.part(name).ariaDisabled = at === 0;
    for (const name of ["forward", "last"]) this.part(name).ariaDisabled = at === this.last;
  }
}

function setIn(trace, path, value) {
  const end = path.pop();
  let at = trace;
  for (const name of path) at = at[name] ??= {};
  at[end] = value;
}

const short = (number) => String(Number(number.toPrecision(4)));

const icon = (path) => `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${path}"/></svg>`;
const button = (part, label, path) =>
  `<button type="button" data-part="${part}" aria-label="${label}" title="${label}">` +
  `${icon(path)}</button>`;

const PLAY = "M6 3.5v13l11-6.5z";
const PAUSE = "M5.5 4h3v12h-3zM11.5 4h3v12h-3z";
const MARKUP = `
  <button type="button" data-part="offer">${icon(PLAY)}Play step by step</button>
  <p data-part="said" role="status"></p>
  <div data-part="open" hidden>
    <div class="mlscope-bar" role="group" aria-label="Player">
      <div class="mlscope-buttons">
        ${button("first", "Back to the start", "M4 4h2v12H4zM16 4v12l-9-6z")}
        ${button("back", "Step back", "M14 4v12l-9-6z")}
        <button type="button" data-part="play" aria-label="Play">
          ${icon(PLAY)}${icon(PAUSE)}
        </button>
        ${button("forward", "Step forward", "M6 4v12l9-6z")}
        ${button("last", "To the end", "M14 4h2v12h-2zM4 4v12l9-6z")}
      </div>
      <div class="mlscope-track" data-part="track" role="slider" tabindex="0" aria-label="Step">
        <svg viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
          <polyline data-part="curve"/>
          <polyline data-part="judged"/>
        </svg>
        <div data-part="position"></div>
      </div>
      <output data-part="step"></output>
      <select data-part="speed" aria-label="Speed"></select>
    </div>
    <div class="mlscope-told">
      <p data-part="sentence" aria-live="polite"></p>
      <button type="button" data-part="link">Link to this step</button>
      <button type="button" data-part="close">Close the player</button>
    </div>
  </div>`;
