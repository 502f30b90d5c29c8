// What outlasts that Streamlit takes a component from the page, and puts it back elsewhere.

const all = [];

/** A map, by page and key, of what stays; `end` is what has to be done when one is forgotten. */
export function kept(end = () => {}) {
  const map = new Map();
  all.push({ map, end });
  return map;
}

/** Forget what is not in the page now: whoever comes next shall have components of their own. */
addEventListener("mlscope-forget", () => all.forEach(({ map, end }) => {
  for (const [name, one] of [...map]) {
    if (one.root.isConnected) continue;
    map.delete(name);
    end(one);
  }
}));
