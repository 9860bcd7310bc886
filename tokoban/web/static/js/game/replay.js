/** Plays the line of a game by itself, move after move, until its end or another input. */

/** @typedef {import("./session.js").Session} Session */

/** Sends "change" when it starts or stops. */
export class Replay extends EventTarget {
  /**
   * @param {Session} session
   * @param {() => number} stepMs time of one move
   * @param {AbortSignal} signal ends it
   */
  constructor(session, stepMs, signal) {
    super();
    this._session = session;
    this._stepMs = stepMs;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this._isOwn = false;
    // Anything that the player does stops it.
    session.addEventListener("change", () => this._isOwn || this.stop(), { signal });
    session.addEventListener("level", () => this.stop(), { signal });
    signal.addEventListener("abort", () => this.stop());
  }

  /** @returns {boolean} */
  get isPlaying() {
    return this._timer !== undefined;
  }

  /** Starts or stops; at the end of the line, starts again from its beginning. */
  toggle() {
    const { game } = this._session;
    if (this.isPlaying) return this.stop();
    if (!game.moves) return;
    if (game.at === game.moves.length) game.restart();
    this._wait();
    this._tell();
  }

  stop() {
    if (!this.isPlaying) return;
    clearTimeout(this._timer);
    this._timer = undefined;
    this._tell();
  }

  _wait() {
    this._timer = setTimeout(() => this._step(), this._stepMs());
  }

  _step() {
    const { game } = this._session;
    this._isOwn = true;
    game.redo();
    this._isOwn = false;
    if (game.at === game.moves.length) this.stop();
    else this._wait();
  }

  _tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}
