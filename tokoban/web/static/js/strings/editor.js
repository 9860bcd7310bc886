/** Strings of the editor. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  "edit.title": { en: "Editor", de: "Editor" },
  "edit.board": { en: "Drawing", de: "Zeichnung" },
  "edit.about": { en: "The level that is drawn", de: "Das gezeichnete Level" },
  "edit.keys": {
    en: "Click or drag to draw. By keyboard: arrows move, 1 to 5 choose a tool, Space draws, u undoes.",
    de: "Klicken oder Ziehen zeichnet. Mit Tasten: Pfeile bewegen, 1 bis 5 wählen das Werkzeug, die Leertaste zeichnet, u nimmt zurück.",
  },
  "edit.tool-wall": { en: "Wall", de: "Wand" },
  "edit.tool-floor": { en: "Floor", de: "Boden" },
  "edit.tool-goal": { en: "Goal", de: "Ziel" },
  "edit.tool-box": { en: "Box", de: "Kiste" },
  "edit.tool-player": { en: "Player", de: "Figur" },
  "edit.name": { en: "Title", de: "Titel" },
  "edit.author": { en: "Author", de: "Autor" },
  "edit.untitled": { en: "My level", de: "Mein Level" },
  "edit.height": { en: "Rows", de: "Zeilen" },
  "edit.width": { en: "Columns", de: "Spalten" },
  "edit.prepend-row": { en: "Row above", de: "Zeile oben" },
  "edit.prepend-column": { en: "Column on the left", de: "Spalte links" },
  "edit.play": { en: "Play it", de: "Spielen" },
  "edit.keep": { en: "Save to my levels", de: "In meinen Leveln speichern" },
  "edit.keep-new": { en: "Save as a new level", de: "Als neues Level speichern" },
  "edit.kept": { en: "Saved in “{name}”.", de: "In „{name}“ gespeichert." },
  "edit.replaced": {
    en: "Saved in “{name}”, in place of its earlier version.",
    de: "In „{name}“ gespeichert, anstelle der früheren Fassung.",
  },
  "edit.collection": { en: "My own", de: "Eigene" },
  "edit.taken": {
    en: "The level is in the editor; Undo brings the drawing back.",
    de: "Das Level ist im Editor; „Rückgängig“ bringt die Zeichnung zurück.",
  },
  "edit.download": { en: "Save as SOK", de: "Als SOK speichern" },
  "edit.take": { en: "Edit the level being played", de: "Das gespielte Level bearbeiten" },
  "edit.clear": { en: "Empty room", de: "Leerer Raum" },
  "edit.sizes": {
    en: "The editor draws from {least} by {least} to {most} by {most} squares.",
    de: "Der Editor zeichnet von {least} mal {least} bis {most} mal {most} Felder.",
  },
  "edit.check": { en: "Can it be solved?", de: "Ist es lösbar?" },
  "edit.solvable": {
    en: "It can be solved: a solution with {pushes} {pushes|push|pushes} was found.",
    de: "Es ist lösbar: Eine Lösung mit {pushes} {pushes|Schub|Schüben} wurde gefunden.",
  },
  "edit.legal": { en: "A legal level.", de: "Ein gültiges Level." },
  "edit.open": {
    en: "The walls are open at the framed squares.",
    de: "Die Wände sind an den umrahmten Feldern offen.",
  },
  "edit.outside": {
    en: "The player can never get to the framed boxes or goals.",
    de: "Die Figur kann die umrahmten Kisten oder Ziele nie erreichen.",
  },
  "edit.solved": { en: "The level is solved already.", de: "Das Level ist schon gelöst." },
  "edit.dead-square": {
    en: "{count|The framed box|The framed boxes} can never reach a goal.",
    de: "{count|Die umrahmte Kiste kommt|Die umrahmten Kisten kommen} nie auf ein Ziel.",
  },
  "edit.frozen": {
    en: "{count|The framed box|The framed boxes} can never move.",
    de: "{count|Die umrahmte Kiste kann|Die umrahmten Kisten können} sich nie bewegen.",
  },
};
