/** A scrolling grid of many cards, of which only those in sight exist. */

import { el } from "../shell/dom.js";

/** Rows beyond the edges that exist already, so that scrolling shows no gaps. */
const SPARE_ROWS = 2;

export class VirtualGrid {
  /**
   * @param {HTMLElement} scroller has the scroll bar
   * @param {{label: string, signal: AbortSignal, minWidth: number, height: number,
   *   makeCard: (index: number) => HTMLElement, release: (card: HTMLElement) => void}} options
   *   sizes in CSS pixels; the first focusable element of a card takes the focus; a card that is
   *   no longer needed is released
   */
  constructor(scroller, { label, signal, minWidth, height, makeCard, release }) {
    this._scroller = scroller;
    this._minWidth = minWidth;
    this._height = height;
    this._makeCard = makeCard;
    this._release = release;
    this._count = 0;
    /** Where arrow keys begin while nothing has the focus. */
    this._first = 0;
    this._columns = 1;
    /** @type {Map<number, HTMLElement>} */
    this._cards = new Map();
    this._list = el("ul", { class: "virtual-list", "aria-label": label });
    scroller.append(this._list);
    scroller.addEventListener("scroll", () => this._fill(), { signal, passive: true });
    document.addEventListener("keydown", (event) => this._press(event), { signal });
    const observer = new ResizeObserver(() => this._fill());
    observer.observe(scroller);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** Shows so many cards anew. @param {number} count @param {number} [first] scrolled into sight */
  show(count, first = 0) {
    this._count = count;
    this._first = first;
    this._clear();
    this._fill();
    this._scroller.scrollTop = Math.max(0, (this._rowOf(first) - 1) * this._height);
    this._fill();
  }

  /** Makes the cards in sight anew. */
  refresh() {
    const focused = [...this._cards].find(([, card]) => card.contains(document.activeElement));
    this._clear();
    this._fill();
    if (focused) this._focus(focused[0]);
  }

  /** @param {number} index */
  _rowOf(index) {
    return Math.floor(index / this._columns);
  }

  _clear() {
    for (const index of [...this._cards.keys()]) this._remove(index);
  }

  /** @param {number} index */
  _remove(index) {
    const card = /** @type {HTMLElement} */ (this._cards.get(index));
    card.remove();
    this._cards.delete(index);
    this._release(card);
  }

  _fill() {
    const { clientWidth, clientHeight, scrollTop } = this._scroller;
    const columns = Math.max(1, Math.floor(clientWidth / this._minWidth));
    const width = clientWidth / columns;
    this._list.style.height = `${Math.ceil(this._count / columns) * this._height}px`;
    if (columns !== this._columns) {
      // What was at the top stays there, as on a phone that is turned.
      const shown = Math.floor(scrollTop / this._height) * this._columns;
      this._columns = columns;
      this._clear();
      this._scroller.scrollTop = this._rowOf(shown) * this._height;
      this._fill();
      return;
    }
    const first = Math.max(0, Math.floor(scrollTop / this._height) - SPARE_ROWS) * columns;
    const rows = Math.ceil(clientHeight / this._height) + 2 * SPARE_ROWS + 1;
    const last = Math.min(this._count, first + rows * columns);
    for (const [index, card] of this._cards) {
      if (index >= first && index < last) continue;
      // The card with the focus stays, or the focus would be lost.
      if (card.contains(document.activeElement)) continue;
      this._remove(index);
    }
    /** @type {HTMLElement | null} */
    let before = null;
    for (let index = first; index < last; index++) {
      let card = this._cards.get(index);
      if (!card) {
        card = el(
          "li",
          { "aria-setsize": this._count, "aria-posinset": index + 1 },
          this._makeCard(index),
        );
        this._cards.set(index, card);
        // In reading order, which Tab follows.
        if (before) before.after(card);
        else this._list.prepend(card);
      }
      before = card;
      card.style.transform = `translate(${(index % columns) * width}px, ${this._rowOf(index) * this._height}px)`;
      card.style.width = `${width}px`;
      card.style.height = `${this._height}px`;
    }
  }

  /** @param {number} index */
  _focus(index) {
    const top = this._rowOf(index) * this._height;
    const { scrollTop, clientHeight } = this._scroller;
    if (top < scrollTop) this._scroller.scrollTop = top;
    else if (top + this._height > scrollTop + clientHeight) {
      this._scroller.scrollTop = top + this._height - clientHeight;
    }
    this._fill();
    const card = this._cards.get(index)?.querySelector("a, button");
    /** @type {HTMLElement | null | undefined} */ (card)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const rowsInSight = Math.max(1, Math.floor(this._scroller.clientHeight / this._height));
    const steps = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -this._columns,
      ArrowDown: this._columns,
      PageUp: -rowsInSight * this._columns,
      PageDown: rowsInSight * this._columns,
      Home: -this._count,
      End: this._count,
    };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (!step || !this._count || event.altKey || event.ctrlKey || event.metaKey) return;
    const focused = document.activeElement ?? document.body;
    const now = [...this._cards].find(([, card]) => card.contains(focused));
    if (!now && !focused.matches("body, main")) return;
    event.preventDefault();
    this._focus(now ? Math.max(0, Math.min(this._count - 1, now[0] + step)) : this._first);
    this._scroller.scrollIntoView({ block: "nearest" }); // in a low window it may be below
  }
}
