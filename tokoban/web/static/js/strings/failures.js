/** Strings of what goes wrong: errors and wrong levels by their codes, and why searches end. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  // A sentence of the server without a code is in English only.
  "error.refused": { en: "{message}", de: "Abgelehnt: {message}" },
  "error.other-origin": {
    en: "The server does not know this page's address, as happens behind a proxy that changes the host. "
      + "You can play, but not search or import. Start the server with: tokoban web --allow-origin {origin}",
    de: "Der Server kennt die Adresse dieser Seite nicht, etwa hinter einem Proxy, der den Host ändert. "
      + "Sie können spielen, aber nicht suchen oder einlesen. Starten Sie den Server so: "
      + "tokoban web --allow-origin {origin}",
  },
  "error.not-found": { en: "That is not there any more.", de: "Das gibt es nicht mehr." },
  "error.failed": { en: "{message}", de: "Die Aufgabe ist gescheitert. Meldung: {message}" },
  "error.crashed": {
    en: "The process of this job ended; another one has started.",
    de: "Der Prozess dieser Aufgabe wurde beendet; ein neuer läuft.",
  },
  "error.memory": {
    en: "There is not enough memory for this.",
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
    en: "The page could not keep up with the job's answers.",
    de: "Die Seite kam mit den Antworten der Aufgabe nicht nach.",
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
  "problem.long-text": {
    en: "The text has {count} characters; at most {most} are read.",
    de: "Der Text hat {count} Zeichen; gelesen werden höchstens {most}.",
  },
  "problem.no-words": {
    en: "A sentence with words is expected.",
    de: "Erwartet wird ein Satz mit Wörtern.",
  },
  "problem.long-sentence": {
    en: "A sentence is too long: each may have at most {most} tokens.",
    de: "Ein Satz ist zu lang: Jeder darf höchstens {most} Token haben.",
  },
  "problem.no-board": {
    en: "Rows of # @ + $ * . and blanks are expected.",
    de: "Erwartet werden Zeilen aus # @ + $ * . und Leerzeichen.",
  },
  "problem.size": {
    en: "A board of {height} by {width} squares is too large; at most {most} by {most} are read.",
    de: "Ein Brett mit {height} mal {width} Feldern ist zu groß; gelesen werden höchstens {most} mal {most}.",
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
    en: "“{letter}” in column {column} does not stand for a square.",
    de: "„{letter}“ in Spalte {column} steht für kein Feld.",
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
    en: "This is not text in UTF-8, Windows-1252 or UTF-16 with a byte order mark.",
    de: "Das ist kein Text in UTF-8, Windows-1252 oder UTF-16 mit Byte Order Mark.",
  },
  "problem.packed": {
    en: "This file is compressed; what is read is the level file in it.",
    de: "Diese Datei ist komprimiert; gelesen wird die Leveldatei, die darin ist.",
  },
  "problem.open-comment": {
    en: "A comment is never closed.",
    de: "Ein Kommentar wird nie geschlossen.",
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
    en: "The XML of the file is not a level collection (SLC).",
    de: "Das XML der Datei ist keine Levelsammlung (SLC).",
  },
  "problem.words": {
    en: "The sentence has {count} words; 1 to {most} are expected.",
    de: "Der Satz hat {count} Wörter; erwartet werden 1 bis {most}.",
  },
  "problem.unknown-word": {
    en: "Word {place}, “{word}”, is not understood; expected, for example: {expected}.",
    de: "Wort {place}, „{word}“, wird nicht verstanden; erwartet wird zum Beispiel: {expected}.",
  },
  "problem.misplaced-word": {
    en: "Word {place}, “{word}”, does not fit here; expected, for example: {expected}.",
    de: "Wort {place}, „{word}“, passt hier nicht; erwartet wird zum Beispiel: {expected}.",
  },
  "problem.late-word": {
    en: "Word {place}, “{word}”, is not understood; the sentence should end before it.",
    de: "Wort {place}, „{word}“, wird nicht verstanden; davor sollte der Satz enden.",
  },
  "problem.cut-off": {
    en: "The sentence ends after “{word}”; expected, for example: {expected}.",
    de: "Der Satz endet nach „{word}“; erwartet wird zum Beispiel: {expected}.",
  },
  "problem.named-boxes": {
    en: "“{name}” fits {count} boxes of this position; it has to fit exactly one.",
    de: "„{name}“ passt auf {count} Kisten dieser Stellung; der Name muss auf genau eine passen.",
  },
  "problem.named-goals": {
    en: "“{name}” fits {count} goals of this level; it has to fit exactly one.",
    de: "„{name}“ passt auf {count} Ziele dieses Levels; der Name muss auf genau eines passen.",
  },
  "problem.named-place": {
    en: "“{name}” fits no square inside the walls.",
    de: "„{name}“ passt auf kein Feld innerhalb der Wände.",
  },
  "problem.named-twice": {
    en: "“{name}” and “{other}” are one box of this position; two are expected.",
    de: "„{name}“ und „{other}“ sind eine einzige Kiste dieser Stellung; erwartet werden zwei.",
  },
  "problem.network-size": {
    en: "The level has {squares} squares of floor; the network reads {most} at most.",
    de: "Das Level hat {squares} Bodenfelder; das Netz liest höchstens {most}.",
  },
  "app.compiling": {
    en: "The searches are compiled for this machine, once; this takes up to two minutes …",
    de: "Die Suchen werden einmalig für diesen Rechner kompiliert; das dauert bis zu zwei Minuten …",
  },
  "app.queued": {
    en: "Waiting: {before} {before|job comes|jobs come} first …",
    de: "Bitte warten: {before} {before|Aufgabe kommt|Aufgaben kommen} vorher …",
  },
  "app.queued-next": { en: "Waiting: this job is next …", de: "Bitte warten: Diese Aufgabe kommt als Nächstes …" },
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
    en: "the level has {squares} squares of floor; the searches accept {most} at most",
    de: "das Level hat {squares} Bodenfelder; die Suchen lesen höchstens {most}",
  },
  "reason.floor": {
    en: "the floor has {height} by {width} squares; instructions work on {most} by {most} at most",
    de: "der Boden hat {height} mal {width} Felder; Anweisungen gehen bis {most} mal {most}",
  },
  "reason.price": {
    en: "solutions of {most} or more moves or pushes are not searched for",
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
  "reason.no-position": { en: "no position is left to search", de: "keine Stellung ist mehr offen" },
  "reason.incomplete": {
    en: "all searches have ended, but they may miss solutions",
    de: "alle Suchen sind zu Ende, können Lösungen aber übersehen",
  },
};
