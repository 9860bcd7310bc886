/** The page: its views and panels, in the order in which they are shown. */

import { view as play } from "./views/play.js";
import { panel as moves } from "./panels/moves.js";
import { panel as understand } from "./panels/understand.js";
import { App } from "./shell/app.js";
import { deferred } from "./shell/deferred.js";

/** The one app of the page. */
export const app = new App({
  panels: [
    moves,
    understand,
    deferred("watch", "watch.title", () => import("./panels/watch.js")),
    deferred("work", "work.title", () => import("./panels/work.js")),
  ],
  views: [
    play,
    deferred("levels", "levels.title", () => import("./views/levels.js")),
    deferred("editor", "edit.title", () => import("./views/editor.js")),
    deferred("labs", "labs.title", () => import("./views/labs.js")),
  ],
});
app.render();
