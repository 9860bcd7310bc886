/** The panels beside the board, as tabs. All are mounted, so that those not seen work on. */

import { el } from "../shell/dom.js";
import { t } from "../strings/index.js";

/** @typedef {import("../shell/app.js").App} App */

/**
 * @param {HTMLElement} element
 * @param {App} app
 * @param {AbortSignal} signal
 */
export function mountPanels(element, app, signal) {
  const tabs = app.panels.map(({ id, titleKey }) =>
    el(
      "button",
      {
        type: "button",
        class: "button plain",
        role: "tab",
        id: `tab-${id}`,
        "aria-controls": `panel-${id}`,
        onclick: () => choose(id),
      },
      t(titleKey),
    ),
  );
  const bodies = app.panels.map(({ id }) =>
    el("div", {
      class: "panel",
      role: "tabpanel",
      id: `panel-${id}`,
      "aria-labelledby": `tab-${id}`,
      tabindex: "0",
    }),
  );
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": t("play.panels") }, ...tabs);
  element.append(list, el("div", { class: "panel-room" }, ...bodies));

  /** @param {string} chosen */
  const choose = (chosen) => {
    app.panels.forEach(({ id }, index) => {
      const isChosen = id === chosen;
      tabs[index].setAttribute("aria-selected", String(isChosen));
      tabs[index].tabIndex = isChosen ? 0 : -1;
      bodies[index].hidden = !isChosen;
    });
    app.store.keepValue("panel", chosen);
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const now = tabs.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const next = (now + step + tabs.length) % tabs.length;
    choose(app.panels[next].id);
    tabs[next].focus();
  });
  const last = app.store.value("panel");
  choose(app.panels.some(({ id }) => id === last) ? last : app.panels[0].id);
  app.panels.forEach((panel, index) => panel.mount(bodies[index], app.session, app, signal));
}
