/** The pictures of one square, drawn once for each size and theme. */

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {CanvasRenderingContext2D} Context */

/** A square with fewer pixels is drawn without details. */
const MIN_DETAILED = 14;

/** Neighbours that are wall, as bits. */
export const WALL_BITS = { u: 1, l: 2, d: 4, r: 8 };

/** Draws squares of one size in one palette. */
export class Sprites {
  /** @param {number} size in device pixels @param {Palette} palette */
  constructor(size, palette) {
    this.size = size;
    this.palette = palette;
    /** @type {Map<string, HTMLCanvasElement>} */
    this._drawn = new Map();
  }

  /** @param {Context} context @param {number} x @param {number} y */
  floor(context, x, y) {
    this._put(context, x, y, "floor", (pen) => {
      pen.fillStyle = this.palette.floor;
      pen.fillRect(0, 0, this.size, this.size);
      if (this.size < MIN_DETAILED) return;
      pen.strokeStyle = this.palette["floor-edge"];
      pen.lineWidth = Math.max(1, this.size / 48);
      pen.strokeRect(0, 0, this.size, this.size);
    });
  }

  /**
   * @param {Context} context @param {number} x @param {number} y
   * @param {number} joined bits of the neighbours that are wall
   */
  wall(context, x, y, joined) {
    this._put(context, x, y, `wall${joined}`, (pen) => drawWall(pen, this.size, this.palette, joined));
  }

  /** @param {Context} context @param {number} x @param {number} y */
  goal(context, x, y) {
    this._put(context, x, y, "goal", (pen) => {
      const { size } = this;
      pen.strokeStyle = this.palette.goal;
      pen.fillStyle = this.palette.goal;
      pen.lineWidth = Math.max(1.2, size * 0.075);
      circle(pen, size / 2, size / 2, size * 0.25);
      pen.stroke();
      circle(pen, size / 2, size / 2, size * 0.09);
      pen.fill();
    });
  }

  /** A goal that shows round the player. @param {Context} context @param {number} x @param {number} y */
  wideGoal(context, x, y) {
    this._put(context, x, y, "wide-goal", (pen) => {
      const { size } = this;
      pen.strokeStyle = this.palette.goal;
      pen.lineWidth = Math.max(1.2, size * 0.075);
      circle(pen, size / 2, size / 2, size * 0.44);
      pen.stroke();
    });
  }

  /** @param {Context} context @param {number} x @param {number} y @param {boolean} onGoal */
  box(context, x, y, onGoal) {
    this._put(context, x, y, onGoal ? "done" : "box", (pen) =>
      drawBox(pen, this.size, this.palette, onGoal),
    );
  }

  /** @param {Context} context @param {number} x @param {number} y @param {string} facing */
  player(context, x, y, facing) {
    this._put(context, x, y, `player${facing}`, (pen) =>
      drawPlayer(pen, this.size, this.palette, facing),
    );
  }

  /**
   * @param {Context} context @param {number} x @param {number} y @param {string} name
   * @param {(pen: Context) => void} draw
   */
  _put(context, x, y, name, draw) {
    let canvas = this._drawn.get(name);
    if (!canvas) {
      canvas = document.createElement("canvas");
      canvas.width = canvas.height = this.size;
      draw(/** @type {Context} */ (canvas.getContext("2d")));
      this._drawn.set(name, canvas);
    }
    context.drawImage(canvas, x, y);
  }
}

/** @param {Context} pen @param {number} size @param {Palette} palette @param {number} joined */
function drawWall(pen, size, palette, joined) {
  const radius = size * 0.22;
  const isOpen = (/** @type {number} */ bits) => !(joined & bits);
  const corner = (/** @type {number} */ one, /** @type {number} */ other) =>
    isOpen(one) && isOpen(other) ? radius : 0;
  const { u, l, d, r } = WALL_BITS;
  // The floor shows at the rounded corners of inner walls.
  pen.beginPath();
  pen.roundRect(0, 0, size, size, [corner(u, l), corner(u, r), corner(d, r), corner(d, l)]);
  pen.clip();
  pen.fillStyle = palette.wall;
  pen.fillRect(0, 0, size, size);
  if (size < MIN_DETAILED) return;
  // Light from above: a bright edge where the wall begins, a dark face where it ends.
  const edge = Math.max(1, Math.round(size * 0.07));
  if (isOpen(d)) {
    pen.fillStyle = palette["wall-side"];
    pen.fillRect(0, size - 2.6 * edge, size, 2.6 * edge);
  }
  if (isOpen(u)) {
    pen.fillStyle = palette["wall-top"];
    pen.fillRect(0, 0, size, edge);
  }
}

/** @param {Context} pen @param {number} size @param {Palette} palette @param {boolean} onGoal */
function drawBox(pen, size, palette, onGoal) {
  const margin = size * 0.1;
  const inner = size - 2 * margin;
  const line = Math.max(1, size * 0.055);
  pen.fillStyle = onGoal ? palette["box-done"] : palette.box;
  pen.strokeStyle = onGoal ? palette["box-done-edge"] : palette["box-edge"];
  pen.lineWidth = line;
  pen.lineJoin = pen.lineCap = "round";
  pen.beginPath();
  pen.roundRect(margin, margin, inner, inner, size * 0.12);
  pen.fill();
  pen.stroke();
  // The sign tells the two kinds apart without colours: a cross of planks, or a tick.
  const [near, far] = [margin + inner * 0.24, margin + inner * 0.76];
  pen.beginPath();
  if (onGoal) {
    pen.lineWidth = line * 1.9;
    pen.moveTo(near, size * 0.52);
    pen.lineTo(size * 0.45, far - line);
    pen.lineTo(far, near + line);
  } else {
    if (size >= MIN_DETAILED) pen.rect(near, near, far - near, far - near);
    pen.moveTo(near, near);
    pen.lineTo(far, far);
    pen.moveTo(far, near);
    pen.lineTo(near, far);
  }
  pen.stroke();
}

/** @param {Context} pen @param {number} size @param {Palette} palette @param {string} facing */
function drawPlayer(pen, size, palette, facing) {
  const middle = size / 2;
  pen.fillStyle = palette.player;
  pen.strokeStyle = palette["player-edge"];
  pen.lineWidth = Math.max(1, size * 0.055);
  circle(pen, middle, middle, size * 0.33);
  pen.fill();
  pen.stroke();
  // Two eyes that look where the player goes.
  const turn = { u: -Math.PI / 2, l: Math.PI, d: Math.PI / 2, r: 0 }[facing] ?? Math.PI / 2;
  pen.translate(middle, middle);
  pen.rotate(turn);
  for (const side of [-1, 1]) {
    pen.fillStyle = "#fff";
    circle(pen, size * 0.13, side * size * 0.13, size * 0.085);
    pen.fill();
    pen.fillStyle = "#111";
    circle(pen, size * 0.165, side * size * 0.13, size * 0.045);
    pen.fill();
  }
}

/** @param {Context} pen @param {number} x @param {number} y @param {number} radius */
function circle(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}
