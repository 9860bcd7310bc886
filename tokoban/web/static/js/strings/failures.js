/** Strings of what goes wrong: errors of the server by their codes, and why searches end. */

/** @type {Record<string, {en: string, de: string}>} */
export const strings = {
  // The server's own sentence says what is wrong with a level; it has it in English only.
  "error.refused": { en: "{message}", de: "Abgelehnt: {message}" },
  "error.failed": { en: "{message}", de: "Die Aufgabe ist gescheitert. Meldung: {message}" },
  "error.crashed": {
    en: "The process of this job ended; another one has started.",
    de: "Der Prozess dieser Aufgabe wurde beendet; ein neuer läuft.",
  },
  "error.memory": {
    en: "There is not memory enough for this.",
    de: "Dafür reicht der Speicher nicht.",
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
  "app.compiling": {
    en: "The searches are compiled for this machine, once; this takes a minute or two …",
    de: "Die Suchen werden einmalig für diesen Rechner übersetzt; das dauert ein bis zwei Minuten …",
  },
  "reason.stopped": { en: "stopped", de: "angehalten" },
  "reason.no-position": { en: "no position is left", de: "keine Stellung ist übrig" },
  "reason.pushes": { en: "{count} {count|push|pushes}", de: "{count} {count|Schub|Schübe}" },
  "reason.limit": { en: "a limit was reached", de: "eine Grenze ist erreicht" },
};
