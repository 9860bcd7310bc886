/** Strings of what goes wrong: errors and wrong levels by their codes, and why searches end. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  // A sentence of the server without a code is in English only.
  "error.refused": { en: "{message}", de: "Abgelehnt: {message}" },
  "error.other-origin": {
    en: "The server does not know this page's address, as behind a proxy that changes the host. "
      + "You can play, but nothing is searched or read. Start it by: tokoban web --allow-origin {origin}",
    de: "Der Server kennt die Adresse dieser Seite nicht, etwa hinter einem Proxy, der den Host ändert. "
      + "Sie können spielen, doch nichts wird gesucht oder gelesen. Starten Sie ihn so: "
      + "tokoban web --allow-origin {origin}",
  },
  "error.not-found": { en: "That is not there any more.", de: "Das gibt es nicht mehr." },
  "error.failed": { en: "{message}", de: "Die Aufgabe ist gescheitert. Meldung: {message}" },
  "error.crashed": {
    en: "The process of this job ended; another one has started.",
    de: "Der Prozess dieser Aufgabe wurde beendet; ein neuer läuft.",
  },
  "error.memory": {
    en: "There is not memory enough for this.",
    de: "Dafür reicht der Speicher nicht.",
  },
  "error.extra": {
    en: "This part is not installed: {message}",
    de: "Dieser Teil ist nicht installiert: {message}",
  },
  "error.too-long": {
    en: "The job was ended, since it took too long.",
    de: "Die Aufgabe wurde beendet, weil sie zu lange dauerte.",
  },
  "error.too-large": {
    en: "That is too large: {message}",
    de: "Das ist zu groß: {message}",
  },
  "error.too-slow": {
    en: "The page reads more slowly than the job answers.",
    de: "Die Seite liest langsamer, als die Aufgabe antwortet.",
  },
  "error.busy": {
    en: "The server has too much to do already; try again later.",
    de: "Der Server hat schon zu viel zu tun; versuchen Sie es später noch einmal.",
  },
  "error.server-lost": {
    en: "The server does not answer. You can play on; nothing is lost.",
    de: "Der Server antwortet nicht. Sie können weiterspielen; nichts geht verloren.",
  },
  "problem.other": { en: "{message}.", de: "Meldung: {message}." },
  "problem.no-board": {
    en: "Rows of # @ + $ * . and blanks are expected.",
    de: "Erwartet werden Zeilen aus # @ + $ * . und Leerzeichen.",
  },
  "problem.size": {
    en: "A board of {height} by {width} squares is too large; {most} by {most} are read.",
    de: "Ein Brett mit {height} mal {width} Feldern ist zu groß; gelesen werden {most} mal {most}.",
  },
  "problem.no-player": { en: "The player is missing.", de: "Die Figur fehlt." },
  "problem.players": {
    en: "There are {count} players, at {squares} (row, column); a level has one.",
    de: "Es gibt {count} Figuren, bei {squares} (Zeile, Spalte); ein Level hat eine.",
  },
  "problem.no-box": { en: "There is no box.", de: "Es gibt keine Kiste." },
  "problem.open": {
    en: "The walls are open at row {row}, column {column} of the board.",
    de: "Die Wände sind in Zeile {row}, Spalte {column} des Bretts offen.",
  },
  "problem.unequal": {
    en: "There {boxes|is|are} {boxes} {boxes|box|boxes}, but {goals} {goals|goal|goals}.",
    de: "Es gibt {boxes} {boxes|Kiste|Kisten}, aber {goals} {goals|Ziel|Ziele}.",
  },
  "problem.no-square": {
    en: "“{letter}” in column {column} is no square.",
    de: "„{letter}“ in Spalte {column} ist kein Feld.",
  },
  "problem.tab": {
    en: "There is a tab in column {column}; blanks are expected.",
    de: "In Spalte {column} steht ein Tabulator; erwartet werden Leerzeichen.",
  },
  "problem.counts": {
    en: "The counts and brackets of a row do not fit together.",
    de: "Zahlen und Klammern einer Zeile passen nicht zusammen.",
  },
  "problem.no-text": {
    en: "It is no text in UTF-8, Latin-1 or UTF-16 with a byte order mark.",
    de: "Es ist kein Text in UTF-8, Latin-1 oder UTF-16 mit Byte-Reihenfolge-Marke.",
  },
  "problem.open-comment": {
    en: "A comment begins that never ends.",
    de: "Ein Kommentar beginnt, der nie endet.",
  },
  "problem.other-game": {
    en: "Puzzles of the type “{name}” are not read, only Sokoban.",
    de: "Rätsel der Art „{name}“ werden nicht gelesen, nur Sokoban.",
  },
  "problem.sokoban-plus": {
    en: "Its boxes and goals are numbered (Sokoban+); here any box may go to any goal.",
    de: "Kisten und Ziele sind nummeriert (Sokoban+); hier darf jede Kiste auf jedes Ziel.",
  },
  "problem.too-much": {
    en: "There are more than {most} squares and moves so far; what follows is not read.",
    de: "Bis hier sind es mehr als {most} Felder und Züge; was folgt, wird nicht gelesen.",
  },
  "problem.not-boxoban": {
    en: "A Boxoban level is ten rows of ten squares below “; ” and a number.",
    de: "Ein Boxoban-Level besteht aus zehn Zeilen mit zehn Feldern unter „; “ und einer Nummer.",
  },
  "problem.not-xml": {
    en: "The XML of the file cannot be read.",
    de: "Das XML der Datei lässt sich nicht lesen.",
  },
  "problem.not-slc": {
    en: "The XML of the file is not that of levels (SLC).",
    de: "Das XML der Datei ist nicht das von Leveln (SLC).",
  },
  "problem.words": {
    en: "A sentence of {count} words; 1 to {most} are expected.",
    de: "Ein Satz aus {count} Wörtern; erwartet werden 1 bis {most}.",
  },
  "problem.unknown-word": {
    en: "Word {place}, “{word}”, is not understood; expected, for example: {expected}.",
    de: "Wort {place}, „{word}“, wird nicht verstanden; erwartet wird zum Beispiel: {expected}.",
  },
  "problem.late-word": {
    en: "Word {place}, “{word}”, is not understood; the end is expected there.",
    de: "Wort {place}, „{word}“, wird nicht verstanden; dort wird das Ende erwartet.",
  },
  "problem.cut-off": {
    en: "The sentence ends after “{word}”; expected, for example: {expected}.",
    de: "Der Satz endet nach „{word}“; erwartet wird zum Beispiel: {expected}.",
  },
  "problem.named-boxes": {
    en: "“{name}” fits {count} boxes of this position; it has to fit exactly one.",
    de: "„{name}“ passt auf {count} Kisten dieser Stellung; der Name muss auf genau eine passen.",
  },
  "problem.network-size": {
    en: "The level has {squares} squares of floor; the network reads {most} at most.",
    de: "Das Level hat {squares} Bodenfelder; das Netz liest höchstens {most}.",
  },
  "app.compiling": {
    en: "The searches are compiled for this machine, once; this takes a minute or two …",
    de: "Die Suchen werden einmalig für diesen Rechner übersetzt; das dauert ein bis zwei Minuten …",
  },
  "app.queued": {
    en: "Waiting: {before} {before|job comes|jobs come} first …",
    de: "Es wartet: {before} {before|Aufgabe kommt|Aufgaben kommen} vorher …",
  },
  "app.queued-next": { en: "Waiting: it comes next …", de: "Es wartet und kommt als Nächstes …" },
  "reason.other": { en: "{message}", de: "Meldung: {message}" },
  "reason.stopped": { en: "stopped", de: "angehalten" },
  "reason.time": {
    en: "the limit of {seconds} s is reached",
    de: "die Grenze von {seconds} s ist erreicht",
  },
  "reason.memory": {
    en: "the limit of {megabytes} MB of memory is reached",
    de: "die Grenze von {megabytes} MB Speicher ist erreicht",
  },
  "reason.size": {
    en: "the level has {squares} squares of floor; searches take {most} at most",
    de: "das Level hat {squares} Bodenfelder; die Suchen nehmen höchstens {most}",
  },
  "reason.floor": {
    en: "the floor has {height} by {width} squares; sentences are for {most} by {most} at most",
    de: "der Boden hat {height} mal {width} Felder; Sätze gelten für höchstens {most} mal {most}",
  },
  "reason.price": {
    en: "solutions of {most} moves or pushes and more are not looked for",
    de: "Lösungen ab {most} Zügen oder Schüben werden nicht gesucht",
  },
  "reason.pushes": {
    en: "the limit of {most} {most|push|pushes} is reached",
    de: "die Grenze von {most} {most|Schub|Schüben} ist erreicht",
  },
  "reason.expansions": {
    en: "the limit of {most} expanded positions is reached",
    de: "die Grenze von {most} expandierten Stellungen ist erreicht",
  },
  "reason.no-position": { en: "no position is left", de: "keine Stellung ist übrig" },
  "reason.incomplete": {
    en: "all searches have ended, but they may miss solutions",
    de: "alle Suchen sind zu Ende, können Lösungen aber übersehen",
  },
};
