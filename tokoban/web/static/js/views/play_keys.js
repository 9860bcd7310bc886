/** What keys do on the board. */

import { openShare } from "../shell/share.js";
import { t } from "../strings/index.js";
import { nextUnsolved, stepPlace } from "./places.js";

/** One step of the zoom. */
const ZOOM = 1.25;

/**
 * @param {import("../shell/app.js").App} app
 * @param {import("../board/board_view.js").BoardView} board
 * @param {import("../board/pointer.js").Pointer} pointer
 * @param {import("../board/keyboard_pick.js").KeyboardPick} pick
 * @returns {import("../shell/keys.js").Action[]}
 */
export function playActions(app, board, pointer, pick) {
  const { session } = app;
  /** @type {(seen: string) => () => void} */
  const move = (seen) => () => {
    const letter = board.directionOf(seen);
    if (pick.isActive) return pick.move(letter);
    if (!session.game.play(letter)) app.announce(t("say.blocked"));
  };
  const walks = () => {
    if (pick.isActive) pick.cancel();
    pointer.toggleWalks();
  };
  /** @type {[string, string, string[], () => void][]} */
  const actions = [
    ["move-u", "play.move-u", ["ArrowUp", "w"], move("u")],
    ["move-l", "play.move-l", ["ArrowLeft", "a"], move("l")],
    ["move-d", "play.move-d", ["ArrowDown", "s"], move("d")],
    ["move-r", "play.move-r", ["ArrowRight", "d"], move("r")],
    ["undo", "play.undo", ["u", "Backspace", "Ctrl+z"], () => session.game.undo()],
    ["redo", "play.redo", ["y", "Ctrl+y", "Ctrl+Shift+z"], () => session.game.redo()],
    ["undo-push", "play.undo-push", ["Shift+U", "PageUp"], () => session.game.undoPush()],
    ["redo-push", "play.redo-push", ["Shift+Y", "PageDown"], () => session.game.redoPush()],
    ["restart", "play.restart", ["r", "Home"], () => session.game.restart()],
    ["end", "play.end", ["End"], () => session.game.goTo(session.game.moves.length)],
    ["marks", "play.marks", ["m"], () => session.toggleMarks()],
    ["next", "play.next", ["n"], () => stepPlace(app, 1)],
    ["next-unsolved", "play.next-unsolved", ["Shift+N"], () => nextUnsolved(app)],
    ["previous", "play.previous", ["p"], () => stepPlace(app, -1)],
    ["levels", "play.all-levels", ["l"], () => app.open("levels")],
    ["pick-box", "play.pick-box", ["x"], () => pick.next()],
    ["drop-box", "play.drop-box", ["Enter"], () => pick.drop()],
    ["walks", "play.walks", ["f"], walks],
    ["put-down", "play.put-down", ["Escape"], () => pick.cancel()],
    ["share", "play.share", ["c"], () => openShare(app)],
    ["zoom-in", "play.zoom-in", ["+"], () => board.zoomBy(ZOOM)],
    ["zoom-out", "play.zoom-out", ["-"], () => board.zoomBy(1 / ZOOM)],
  ];
  return actions.map(([id, titleKey, keys, run]) => ({ id, titleKey, keys, run }));
}
