/** Marks on the board: frames, shadows, arrows, heat and text. */

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {CanvasRenderingContext2D} Context */
/**
 * What marks need to know of the board that they are drawn on.
 * @typedef {{size: number, palette: Palette, corner: (square: number) => [number, number],
 *   drawBox: (x: number, y: number) => void}} DrawnBoard
 */

/**
 * @typedef {{square: number, kind: "guilty" | "hint-box" | "shadow" | "dead" | "reachable" | "focus"}
 *   | {from: number, to: number, kind: "arrow", weight: number, label?: string}
 *   | {square: number, kind: "heat", weight: number}
 *   | {square: number, kind: "text", text: string}} Mark
 */

/** The kinds that lie under boxes and the player. */
const BELOW = new Set(["heat", "reachable", "dead"]);

/**
 * Draws the marks of one layer.
 * @param {Context} pen
 * @param {readonly Mark[]} marks
 * @param {"below" | "above"} layer of boxes and the player
 * @param {DrawnBoard} board
 */
export function drawMarks(pen, marks, layer, board) {
  for (const mark of marks) {
    if (BELOW.has(mark.kind) !== (layer === "below")) continue;
    pen.save();
    DRAW[mark.kind](pen, mark, board);
    pen.restore();
  }
}

/** @type {Record<string, (pen: Context, mark: any, board: DrawnBoard) => void>} */
const DRAW = {
  guilty(pen, { square }, { size, palette, corner }) {
    // A frame with barred corners, whose shape differs from other frames without colour.
    const line = Math.max(2, size * 0.1);
    frame(pen, corner(square), size, line / 2, palette["text-back"], line * 1.5);
    frame(pen, corner(square), size, line / 2, palette.guilty, line);
    const [x, y] = corner(square);
    pen.beginPath();
    for (const [dx, dy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ]) {
      pen.moveTo(x + dx * size, y + dy * size);
      pen.lineTo(x + size * (0.5 + (dx - 0.5) * 0.55), y + size * (0.5 + (dy - 0.5) * 0.55));
    }
    pen.stroke();
  },
  "hint-box"(pen, { square }, { size, palette, corner }) {
    const [x, y] = corner(square);
    const line = Math.max(2, size * 0.09);
    for (const [colour, width] of [
      [palette["text-back"], line * 1.7],
      [palette.hint, line],
    ]) {
      pen.beginPath();
      pen.arc(x + size / 2, y + size / 2, size * 0.46, 0, 2 * Math.PI);
      pen.strokeStyle = /** @type {string} */ (colour);
      pen.lineWidth = /** @type {number} */ (width);
      pen.stroke();
    }
  },
  shadow(pen, { square }, { size, palette, corner, drawBox }) {
    const [x, y] = corner(square);
    pen.globalAlpha = 0.45;
    drawBox(x, y);
    pen.globalAlpha = 1;
    const line = Math.max(2, size * 0.07);
    pen.setLineDash([size * 0.16, size * 0.1]);
    frame(pen, [x, y], size, size * 0.1, palette.hint, line);
  },
  dead(pen, { square }, { size, palette, corner }) {
    const [x, y] = corner(square);
    pen.strokeStyle = palette.dead;
    pen.lineWidth = Math.max(1, size * 0.05);
    pen.beginPath();
    for (const way of [-1, 1]) {
      pen.moveTo(x + size * 0.38, y + size * (0.5 - way * 0.12));
      pen.lineTo(x + size * 0.62, y + size * (0.5 + way * 0.12));
    }
    pen.stroke();
  },
  reachable(pen, { square }, { size, palette, corner }) {
    const [x, y] = corner(square);
    pen.fillStyle = palette.hint;
    pen.globalAlpha = 0.3;
    pen.fillRect(x + 1, y + 1, size - 2, size - 2);
    pen.globalAlpha = 1;
    pen.beginPath();
    pen.arc(x + size / 2, y + size / 2, size * 0.11, 0, 2 * Math.PI);
    pen.fill();
  },
  focus(pen, { square }, { size, palette, corner }) {
    const line = Math.max(2, size * 0.055);
    frame(pen, corner(square), size, line / 2, palette["text-back"], line * 1.8);
    frame(pen, corner(square), size, line / 2, palette.text, line);
  },
  heat(pen, { square, weight }, { size, palette, corner }) {
    const [x, y] = corner(square);
    pen.globalAlpha = 0.85 * Math.max(0, Math.min(1, weight));
    pen.fillStyle = palette.guilty;
    pen.fillRect(x, y, size, size);
  },
  text(pen, { square, text }, { size, palette, corner }) {
    const [x, y] = corner(square);
    label(pen, text, x + size / 2, y + size / 2, size, palette);
  },
  arrow(pen, { from, to, weight, label: text }, { size, palette, corner }) {
    const [x0, y0] = corner(from).map((value) => value + size / 2);
    const [x1, y1] = corner(to).map((value) => value + size / 2);
    const share = Math.max(0, Math.min(1, weight));
    pen.globalAlpha = 0.35 + 0.6 * share;
    arrow(pen, [x0, y0], [x1, y1], size * (0.07 + 0.15 * share), palette);
    pen.globalAlpha = 1;
    if (!text) return;
    // Not on the head: above or below that of a flat arrow, on the shaft of an upright one. So no two
    // arrows have their labels in one place.
    const isFlat = y0 === y1;
    const above = x1 > x0 ? -0.4 : 0.4;
    if (isFlat) label(pen, text, x1, y1 + above * size, size, palette);
    else label(pen, text, x0, y0 + 0.25 * (y1 - y0), size, palette);
  },
};

/**
 * @param {Context} pen @param {[number, number]} corner @param {number} size @param {number} margin
 * @param {string} colour @param {number} line
 */
function frame(pen, [x, y], size, margin, colour, line) {
  pen.strokeStyle = colour;
  pen.lineWidth = line;
  pen.beginPath();
  pen.roundRect(x + margin, y + margin, size - 2 * margin, size - 2 * margin, size * 0.12);
  pen.stroke();
}

/**
 * @param {Context} pen @param {[number, number]} from @param {[number, number]} to
 * @param {number} width @param {Palette} palette
 */
function arrow(pen, from, to, width, palette) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const head = Math.min(length * 0.6, width * 2.2);
  pen.translate(...from);
  pen.rotate(Math.atan2(to[1] - from[1], to[0] - from[0]));
  pen.beginPath();
  pen.moveTo(0, -width / 2);
  pen.lineTo(length - head, -width / 2);
  pen.lineTo(length - head, -width * 1.15);
  pen.lineTo(length, 0);
  pen.lineTo(length - head, width * 1.15);
  pen.lineTo(length - head, width / 2);
  pen.lineTo(0, width / 2);
  pen.closePath();
  pen.lineJoin = "round";
  pen.strokeStyle = palette["text-back"];
  pen.lineWidth = Math.max(1, width * 0.3);
  pen.stroke();
  pen.fillStyle = palette.arrow;
  pen.fill();
  pen.resetTransform();
}

/**
 * @param {Context} pen @param {string} text @param {number} x @param {number} y @param {number} size
 * @param {Palette} palette
 */
export function label(pen, text, x, y, size, palette) {
  pen.font = `700 ${Math.max(9, size * (text.length > 2 ? 0.28 : 0.36))}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = Math.max(2, size * 0.1);
  pen.strokeStyle = palette["text-back"];
  pen.strokeText(text, x, y);
  pen.fillStyle = palette.text;
  pen.fillText(text, x, y);
}
