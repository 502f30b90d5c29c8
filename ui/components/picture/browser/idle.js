// When pictures are drawn that nobody moved: one after the other, each once the page has nothing
// else to do. Drawing is what takes the browser longest, and most that changes a picture (its
// width, the height of its neighbour, the colours of the page) comes shortly after another change.

const LATEST = 200; // milliseconds; a page that is never idle draws nevertheless
const whenIdle = window.requestIdleCallback ?? ((go) => setTimeout(go)); // Safari has none

let last = Promise.resolve();

/** Wait for the next idle moment that nobody else waits for. */
export function idle() {
  last = last.then(() => new Promise((go) => whenIdle(go, { timeout: LATEST })));
  return last;
}
