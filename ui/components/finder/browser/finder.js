// Keys and clicks of the index of methods: one set of listeners, for whatever rows there are.

const OPENED = "mlscope.opened"; // what this browser has opened
const FOLDED = "mlscope.folds"; // which parts stand unfolded, for this visit
const MOST = 2000; // names kept
// What changes the list beside the search.
const CHOOSES = "[data-testid=stSidebar], .st-key-by, [role=option], [href='#'][data-open]";
let report = null; // tells Python what is asked for; null while the page is another one
let waiting = ""; // what Enter was pressed on before its answer was there
let asked = 0; // when a click changed what is listed, as long as the list is an older one
const SOON = 500; // milliseconds until the page says that it works on a click
let planned = false;
let drawings = {}; // SVG by name

/** Called by Streamlit at the first mount and whenever the page runs. */
export default function mount({ data, setTriggerValue }) {
  drawings = data.drawings;
  if (!report) listen(true);
  report = (name) => setTriggerValue("opened", name);
  plan();
  return () => {
    report = null;
    listen(false);
  };
}

const changes = new MutationObserver(plan);

function listen(on) {
  const what = on ? "addEventListener" : "removeEventListener";
  document[what]("click", clicked, true);
  document[what]("keydown", pressed, true);
  document[what]("toggle", toggled, true);
  document[what]("scroll", inSight, { capture: true, passive: true });
  const state = { attributes: true, attributeFilter: ["data-test-script-state"] };
  if (on) changes.observe(document.body, { childList: true, subtree: true, ...state });
  else changes.disconnect();
}

/** Dress the rows once, after whatever has just changed. */
function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    dress();
  });
}

function dress() {
  const list = document.querySelector(".mlscope-index:not([data-dressed])");
  if (list) {
    list.dataset.dressed = "yes";
    asked = 0;
    const opened = new Set(kept(localStorage, OPENED));
    for (const row of list.querySelectorAll("[data-open]"))
      row.classList.toggle("opened", opened.has(row.dataset.open));
    for (const place of list.querySelectorAll("[data-glyph]"))
      place.innerHTML = drawings[place.dataset.glyph] ?? "";
    const folds = new Set(kept(sessionStorage, FOLDED));
    for (const part of list.querySelectorAll("details[id]")) part.open ||= folds.has(part.id);
    inSight();
  }
  openFirst();
}

function clicked(event) {
  if (event.target.closest?.(CHOOSES)) {
    asked = performance.now();
    setTimeout(plan, SOON);
  }
  const target = event.target.closest?.("[data-open], [data-jump]");
  if (!target || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (target.dataset.jump) jump(target.dataset.jump);
  else open(target.dataset.open, target);
}

function open(name, link) {
  keep(localStorage, OPENED, [...new Set([...kept(localStorage, OPENED), name])].slice(-MOST));
  if (link.getAttribute("href") === "#") report?.(name);
  else go(link.href);
}

/** Go to a page of this session, as the browser's Back and Forward do: one entry of the history. */
function go(address) {
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

function jump(id) {
  const part = document.getElementById(id);
  if (!part) return;
  if (part.tagName === "DETAILS") part.open = true;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  part.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
}

function toggled({ target }) {
  if (!target.id || !target.closest?.(".mlscope-index")) return;
  const folds = new Set(kept(sessionStorage, FOLDED));
  if (target.open) folds.add(target.id);
  else folds.delete(target.id);
  keep(sessionStorage, FOLDED, [...folds]);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const search = input();
  if (!search) return;
  const at = document.activeElement;
  const inSearch = at === search;
  if (event.key !== "Enter") waiting = "";
  const row = at?.closest?.(".mlscope-index .entry");
  const writes = at?.matches?.("input, textarea, select, [contenteditable=true]");
  if (event.key === "/" && !writes) take(event, () => (search.focus(), search.select()));
  else if (event.key === "ArrowDown" && (inSearch || row)) take(event, () => step(row, 1));
  else if (event.key === "ArrowUp" && row) take(event, () => step(row, -1));
  else if (event.key === "Escape" && row) take(event, () => search.focus());
  else if (event.key === "Escape" && inSearch && search.value) take(event, () => type(search, ""));
  else if (event.key === "Enter" && inSearch && search.value.trim()) enter(search);
}

function take(event, does) {
  event.preventDefault();
  event.stopPropagation();
  does();
}

function step(row, by) {
  const rows = [...document.querySelectorAll(".mlscope-index a.entry")]
    .filter((each) => each.checkVisibility());
  const next = rows[row ? rows.indexOf(row) + by : 0];
  if (next) next.focus();
  else if (by < 0) input().focus();
}

/** The event goes on to Streamlit, which commits what is typed. */
function enter(search) {
  waiting = search.value;
  openFirst();
}

/** Open the first row of what Enter was pressed on, once it is there. */
function openFirst() {
  if (!waiting || !answered(waiting)) return;
  const row = first();
  if (!row && works()) return; // for a moment the list of before stands there again
  waiting = "";
  row?.click();
}

const input = () => document.querySelector(".st-key-search input");
const first = () => document.querySelector(".mlscope-index a.entry");
const isOlder = () => asked && (works() || performance.now() - asked < SOON);
const answered = (query) =>
  !isOlder() && document.querySelector(".mlscope-index")?.dataset.query === query.trim();
const works = () =>
  document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning";

/** Write into an input of React as a person would. */
function type(search, text) {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(search, text);
  search.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Mark the section in sight in the bar above. */
function inSight() {
  const links = [...document.querySelectorAll(".mlscope-index .jumps [data-jump]")];
  let now = links[0];
  for (const link of links)
    if (document.getElementById(link.dataset.jump)?.getBoundingClientRect().top < 200) now = link;
  for (const link of links) link.toggleAttribute("aria-current", link === now);
}

// Another tab, or a browser that keeps nothing, must not stop the page.
function kept(store, name) {
  try {
    const found = JSON.parse(store.getItem(name));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function keep(store, name, values) {
  try {
    store.setItem(name, JSON.stringify(values));
  } catch {
    // It is full or closed: nothing depends on it.
  }
}
