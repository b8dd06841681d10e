const LEAD =
  /^(?:(?:bitte|jetzt|und|also|dann|hallo|ja|doch|veuillez|maintenant|et|por favor|ahora|y)\s+)*/u;
const MODAL =
  '(?:(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|puedes|podrías|puede|podría)\\s';
const ORDER =
  '(?:über)?prüfe?|untersuche?|diagnostiziere?|teste|checke|analysiere?|(?:starte?|mache?)\\s+(?:(?:bitte|eine|noch|neue|die)\\s+)*diagnose|vérifiez?|diagnostiquez?|examinez|analysez|revis[ae]|compruebe?a?|analiza|analice|verifica|verifique|diagnostica';
const INFINITIVE =
  '(?:über)?prüfen|untersuchen|diagnostizieren|testen|checken|analysieren|diagnose (?:starten|machen)|vérifier|diagnostiquer|examiner|analyser|revisar|comprobar|analizar|verificar|diagnosticar';
const END = '(?=\\s|$)';
const ASKS = new RegExp(
  `^(?:(?:${ORDER})${END}|(?:${MODAL}|(?:bitte|veuillez|por favor)\\s)(?:.*\\s)?(?:${INFINITIVE})${END})`,
  'u',
);
const NEGATED =
  /(?:^|\s)(?:nicht|nichts|nie|kein\p{L}*|nein|ohne|ne|n'\p{L}+|pas|rien|jamais|non|sans|no|nunca|nada|sin)(?=\s|$)/u;
/** Words for what is read, not measured. */
const READ =
  /(?:^|\s)(?:letzt\p{L}*|gestern|bericht\p{L}*|ergebnis\p{L}*|derni[eè]r\p{L}*|hier|rapports?|résultats?|últim[oa]s?|ayer|informes?|resultados?)(?=\s|$)/u;
const OTHER =
  /(?:^|\s)(?:der|das|und|ist|nicht|nichts|wie|warum|wer|von|vom|bitte|dem|eine[nmrs]?|für|wurde|hat|gestern|le|les|du|est|une|pas|pourquoi|el|los|del|una|por|qué|quién)(?=\s|$)/u;

/**
 * Whether a text in lower case has a word of German, French or Spanish: an English verb in it is a
 * noun there.
 */
export const isOtherLanguage = (text: string): boolean => OTHER.test(text);

/**
 * Whether one of the clauses, in lower case, requests a diagnosis in German, French or Spanish, and
 * none holds a negation.
 */
export const asksInOtherLanguage = (clauses: readonly string[]): boolean =>
  !clauses.some((clause) => NEGATED.test(clause)) &&
  clauses.some(
    (clause) => (ASKS.test(clause) || ASKS.test(clause.replace(LEAD, ''))) && !READ.test(clause),
  );
