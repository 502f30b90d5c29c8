// Pictures in cards side by side: that of the shorter card grows, so that no card is half empty.

/** Let the first pictures of a row of cards fill the room that the fullest card leaves them. */
export function level(root) {
  const row = root.closest("[data-testid=stColumn]")?.parentElement;
  const columns = [...(row?.children ?? [])].map(filledBy);
  if (columns.length < 2) return;
  const beside = columns.every(({ top }) => Math.abs(top - columns[0].top) < 1); // not below another
  const fullest = Math.max(...columns.map(({ end }) => end));
  for (const { picture, end } of columns) picture?.grow(beside ? fullest - end : 0);
}

/** The first picture of a column's card, and where the column ends if that picture has not grown. */
function filledBy(column) {
  const { top } = column.getBoundingClientRect();
  const figure = column.querySelector("figure.mlscope-picture");
  const card = figure?.closest("[data-testid=stVerticalBlock]");
  const { borderBottomWidth, paddingBottom } = getComputedStyle(card ?? column);
  const picture = parseFloat(borderBottomWidth) ? figure?.parentElement.picture : null;
  const last = (picture ? card : column.firstElementChild)?.lastElementChild ?? column;
  const { bottom } = last.getBoundingClientRect();
  return picture
    ? { picture, top, end: bottom + parseFloat(paddingBottom) - picture.grown }
    : { picture: null, top, end: bottom };
}
