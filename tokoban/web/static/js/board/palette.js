/** The board's colours, read from the style sheet, so that the theme decides them. */

const NAMES = /** @type {const} */ ([
  "floor",
  "floor-edge",
  "wall",
  "wall-top",
  "wall-side",
  "goal",
  "box",
  "box-edge",
  "box-done",
  "box-done-edge",
  "player",
  "player-edge",
  "guilty",
  "hint",
  "focus",
  "reachable",
  "dead",
  "arrow",
  "heat",
  "text",
  "text-back",
]);

/** @typedef {Record<typeof NAMES[number], string>} Palette */

/** @param {Element} element @returns {Palette} */
export function paletteOf(element) {
  const style = getComputedStyle(element);
  const colours = NAMES.map((name) => [name, style.getPropertyValue(`--board-${name}`).trim()]);
  return Object.fromEntries(colours);
}
