/** What the player can choose. */

import { t } from "../strings/index.js";
import { openDialog } from "./dialog.js";
import { choice, el, inStack, labelled } from "./dom.js";
import { CHOICES } from "./settings.js";

/** @typedef {import("./app.js").App} App */

// The texts are "settings.<name>" and "settings.<name>-<value>".
const SWITCHES = /** @type {const} */ (["avoidsDead", "showsNumbers", "turns"]);

/** @param {App} app */
export function openSettings(app) {
  const { settings } = app;
  const close = openDialog(t("app.settings"), () =>
    inStack(
      ...Object.entries(CHOICES).map(([name, values]) =>
        choice({
          label: t(`settings.${name}`),
          options: values.map((value) => [value, t(`settings.${name}-${value}`)]),
          value: settings.get(/** @type {keyof typeof CHOICES} */ (name)),
          change: (value) => {
            settings.set(/** @type {keyof typeof CHOICES} */ (name), /** @type {any} */ (value));
            if (name !== "language") return;
            close();
            openSettings(app);
          },
        }),
      ),
      ...SWITCHES.map((name) => {
        const box = el("input", { type: "checkbox", checked: settings.get(name) });
        box.addEventListener("change", () => settings.set(name, box.checked));
        return labelled(t(`settings.${name}`), box);
      }),
      el("p", { class: "soft" }, t("settings.kept")),
    ),
  );
}
