/** Strings of the panel Understand. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "understand.title": { en: "Understand", de: "Verstehen" },
  "lost.title": { en: "Can it still be solved?", de: "Ist es noch lösbar?" },
  "lost.back": { en: "Back to the losing push", de: "Zurück zum Verlustschub" },
  "lost.solved": { en: "The level is solved.", de: "Das Level ist gelöst." },
  "lost.proved": {
    en: "Proved: the position is deadlocked; push {pushes} lost the game.",
    de: "Bewiesen: Die Stellung ist seit Schub {pushes} verloren.",
  },
  "lost.at-start": {
    en: "Proved: the level cannot be solved; it is lost from the start.",
    de: "Bewiesen: Das Level ist nicht lösbar; es ist von Anfang an verloren.",
  },
  "lost.dead-square": {
    en: "The position is deadlocked: {count|a box stands|boxes stand} where no goal can be reached.",
    de: "Die Stellung ist verloren: {count|Eine Kiste steht|Kisten stehen} dort, wo kein Ziel mehr erreichbar ist.",
  },
  "lost.frozen": {
    en: "The position is deadlocked: {count|a box|boxes} can never move again.",
    de: "Die Stellung ist verloren: {count|Eine Kiste kann|Kisten können} sich nie mehr bewegen.",
  },
  "lost.solvable": {
    en: "The position can be solved: a solution with {pushes} more {pushes|push|pushes} is known.",
    de: "Die Stellung ist lösbar: Eine Lösung mit {pushes} {pushes|weiteren Schub|weiteren Schüben} ist bekannt.",
  },
  "lost.searching": {
    en: "Checking whether it can still be solved …",
    de: "Es wird geprüft, ob es noch lösbar ist …",
  },
  "lost.unknown": {
    en: "No deadlock is known here.",
    de: "Hier ist kein Deadlock bekannt.",
  },
  "why.why": { en: "Why?", de: "Warum?" },
  "why.previous": { en: "Previous step", de: "Voriger Schritt" },
  "why.next": { en: "Next step", de: "Nächster Schritt" },
  "why.step": { en: "Step {number} of {count}", de: "Schritt {number} von {count}" },
  "why.positions": { en: "Positions of the search", de: "Stellungen der Suche" },
  "why.minimal": {
    en: "Each of these boxes is needed for the deadlock: without any one of them, the others could be brought to goals.",
    de: "Jede dieser Kisten ist am Deadlock beteiligt: Ohne eine beliebige von ihnen kämen alle anderen auf Ziele.",
  },
  "why.count": { en: "There are fewer boxes than goals.", de: "Es gibt weniger Kisten als Ziele." },
  "why.must-reach": {
    en: "{count|This box has to reach a goal.|Each of these boxes has to reach a goal of its own.}",
    de: "{count|Diese Kiste muss ein Ziel erreichen.|Jede dieser Kisten muss ein eigenes Ziel erreichen.}",
  },
  "why.reach": {
    en: "Even if all other boxes were gone, pushes could bring {count|it|them} only to the marked squares ({squares}).",
    de: "Selbst ohne alle anderen Kisten bringen Schübe {count|sie|sie} nur auf die markierten Felder ({squares}).",
  },
  "why.no-goal": {
    en: "None of these squares is a goal. So the position is lost.",
    de: "Keines dieser Felder ist ein Ziel. Also ist die Stellung verloren.",
  },
  "why.few-goals": {
    en: "Only {goals} of them {goals|is a goal|are goals}, for {count} boxes. So the position is lost.",
    de: "Nur {goals} davon {goals|ist ein Ziel|sind Ziele}, für {count} Kisten. Also ist die Stellung verloren.",
  },
  "why.dead-squares": {
    en: "From {count|its square this box|their squares these boxes} can never reach a goal, even with no other box on the board.",
    de: "Von {count|ihrem Feld kommt diese Kiste|ihren Feldern kommen diese Kisten} nie auf ein Ziel, auch ohne jede andere Kiste.",
  },
  "why.frozen": {
    en: "{count|This box is stuck: it cannot be pushed in any way that keeps the level solvable.|These boxes block each other: none of them can be the first to move.}",
    de: "{count|Diese Kiste sitzt fest: Kein Schub lässt das Level lösbar.|Diese Kisten blockieren einander: Keine kann sich als erste bewegen.}",
  },
  "why.blocked": {
    en: "The box at row {row}, column {column}: vertically, {vertical}; horizontally, {horizontal}.",
    de: "Die Kiste in Zeile {row}, Spalte {column}: senkrecht {vertical}; waagerecht {horizontal}.",
  },
  "why.by-wall": { en: "a wall blocks it", de: "blockiert sie eine Wand" },
  "why.by-box": {
    en: "the box at row {row}, column {column} blocks it",
    de: "blockiert sie die Kiste in Zeile {row}, Spalte {column}",
  },
  "why.by-dead": {
    en: "a push would bring it where it never reaches a goal",
    de: "käme sie dorthin, von wo sie nie ein Ziel erreicht",
  },
  "why.off-goal": {
    en: "{count|The framed box is|The framed boxes are} not on a goal and never will be. So the position is lost.",
    de: "{count|Die umrahmte Kiste steht|Die umrahmten Kisten stehen} auf keinem Ziel und {count|kommt|kommen} nie auf eines. Also ist die Stellung verloren.",
  },
  "why.alone": {
    en: "These boxes cannot all reach goals, even if all others were gone.",
    de: "Diese Kisten kommen nicht alle auf Ziele, selbst wenn alle anderen weg wären.",
  },
  "why.searched": {
    en: "A search tried every push of these boxes and reached {count} {count|position|positions}, sure deadlocks left out. Leaf through them: none has all boxes on goals.",
    de: "Eine Suche hat jeden Schub dieser Kisten probiert und {count} {count|Stellung|Stellungen} erreicht, sichere Deadlocks ausgelassen. Blättern Sie: In keiner stehen alle Kisten auf Zielen.",
  },
  "why.leaves-none": {
    en: "Every push leads to another of these positions or to a box that is stuck for good. Since none is solved, the position is lost. The proof was checked by an independent program.",
    de: "Jeder Schub führt in eine andere dieser Stellungen oder zu einer Kiste, die für immer festsitzt. Keine ist gelöst, also ist die Stellung verloren. Ein unabhängiges Programm hat den Beweis geprüft.",
  },
  "hint.grades": {
    en: "In three steps: which box, where it goes, which push. Then the push is made, and the solution no longer counts as yours.",
    de: "In drei Stufen: welche Kiste, wohin, welcher Schub. Danach wird er ausgeführt, und die Lösung zählt nicht mehr als Ihre.",
  },
  "hint.more": { en: "Hint", de: "Tipp" },
  "hint.next": { en: "Show more", de: "Mehr zeigen" },
  "hint.play": { en: "Make this push", de: "Diesen Schub machen" },
  "hint.searching": { en: "Looking for a hint …", de: "Suche einen Tipp …" },
  "hint.lost": { en: "No hint: the position is deadlocked.", de: "Kein Tipp: Die Stellung ist verloren." },
  "hint.none": {
    en: "No hint: no solution was found ({reason}).",
    de: "Kein Tipp: Es wurde keine Lösung gefunden ({reason}).",
  },
  "hint.1": {
    en: "Push the box at row {row}, column {column}.",
    de: "Schieben Sie die Kiste in Zeile {row}, Spalte {column}.",
  },
  "hint.2": {
    en: "Bring it to row {toRow}, column {toColumn}.",
    de: "Bringen Sie sie nach Zeile {toRow}, Spalte {toColumn}.",
  },
  "hint.3": {
    en: "First push: {direction}. The solution found has {left} more {left|push|pushes}. "
      + "Once more makes the push, and the solution is not yours.",
    de: "Erster Schub: {direction}. Die gefundene Lösung hat noch {left} {left|Schub|Schübe}. "
      + "Noch einmal, und er wird ausgeführt; dann ist die Lösung nicht Ihre.",
  },
  "line.title": { en: "Pushes left along the game", de: "Verbleibende Schübe im Spielverlauf" },
  "line.legend": {
    en: "Line: the policy's estimate, ringed where it suspects a deadlock and no solution is known. Shaded: proved lost. Click to go there.",
    de: "Linie: Einschätzung des Netzes, mit Ring, wo es einen Deadlock vermutet und keine Lösung bekannt ist. Schattiert: bewiesen verloren. Ein Klick führt dorthin.",
  },
  "line.here": {
    en: "After {pushes} {pushes|push|pushes} about {left} left",
    de: "Nach {pushes} {pushes|Schub|Schüben} noch etwa {left}",
  },
  "line.lost-from": {
    en: "Proved lost from push {pushes} on",
    de: "Ab Schub {pushes} bewiesen verloren",
  },
};
