/** The drawing as text: to read, to copy, to type. */

import { button, el } from "../shell/dom.js";
import { t } from "../strings/index.js";
import { MOST_SIZE, isDrawing } from "./draft.js";

export class TextPart {
  /** @param {import("./draft.js").Draft} draft */
  constructor(draft) {
    this._draft = draft;
    this._area = el("textarea", {
      class: "mono",
      rows: "8",
      spellcheck: "false",
      "aria-label": t("edit.text"),
    });
    this._status = el("p", { class: "soft", role: "status" });
    this.element = el(
      "details",
      {},
      el("summary", {}, t("edit.text")),
      el(
        "div",
        { class: "stack" },
        this._area,
        el("div", { class: "row" }, button({ label: t("edit.use-text"), run: () => this._use() })),
        this._status,
      ),
    );
  }

  refresh() {
    if (document.activeElement !== this._area) this._area.value = this._draft.rows.join("\n");
  }

  _use() {
    const rows = this._area.value
      .split("\n")
      .map((row) => row.replace(/[-_]/g, " ").trimEnd())
      .filter((row) => row !== "");
    const isSmall = rows.length <= MOST_SIZE && rows.every((row) => row.length <= MOST_SIZE);
    if (!isSmall) this._status.textContent = t("edit.too-large", { most: MOST_SIZE });
    else if (!isDrawing(rows)) this._status.textContent = t("edit.bad-text");
    else {
      this._status.textContent = "";
      this._draft.load(rows);
    }
  }
}
