/** Work that is spread over frames, so that none becomes long. */

/** Of each frame of 16 ms, in milliseconds. */
const BUDGET_MS = 5;

export class FrameQueue {
  constructor() {
    /** @type {(() => void)[]} */
    this._waiting = [];
    this._frame = 0;
  }

  /** @param {() => void} work done in one of the next frames, in order */
  add(work) {
    this._waiting.push(work);
    if (!this._frame) this._frame = requestAnimationFrame(() => this._run());
  }

  clear() {
    this._waiting = [];
    cancelAnimationFrame(this._frame);
    this._frame = 0;
  }

  _run() {
    const end = performance.now() + BUDGET_MS;
    let count = 0;
    while (count < this._waiting.length && performance.now() < end) this._waiting[count++]();
    this._waiting.splice(0, count);
    this._frame = this._waiting.length ? requestAnimationFrame(() => this._run()) : 0;
  }
}
