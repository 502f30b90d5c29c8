// A copy of the token of this browser, which stays when the browser is closed.

/** Called by Streamlit at the first mount and whenever the page runs. */
export default function mount({ data: { token, copy, seconds } }) {
  const kept = cookie(copy) ?? cookie(token);
  if (kept === undefined) return;
  // Let go on a later day, the copy is what this browser is known by: it becomes the token again.
  if (!seconds && cookie(copy) !== undefined) write(token, kept, "Lax");
  write(copy, seconds ? kept : "", "Strict", `; Max-Age=${seconds}`);
}

function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}

function write(name, value, site, age = "") {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${value}; Path=/; SameSite=${site}${age}${secure}`;
}
