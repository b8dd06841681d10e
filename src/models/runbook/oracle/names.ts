/** Words of questions: what else a question has may be a name. */
const COMMON = new Set(
  [
    'a an the our my your this that these those it its they them there here everything anything something nothing all any some',
    'i we you us me he she one who what which when where why how come and or but so then now again please ok okay well just also too',
    'is are was were be been has have had do does did can could would will should may might must let lets',
    'in on at to of for with from by about since until before after earlier previously long ago first last latest newest previous past recent',
    'two three few today yesterday tonight morning week time times moment',
    'wrong broken break broke fail fails failed failing failure error errors issue issues problem problems trouble matter down up slow ok',
    'healthy unhealthy alive reachable good bad fine affected happen happened happening happens going cause causes root reason reasons',
    'report reports finding findings found find result results summary status evidence proof prove log logs line lines event events raw',
    'run runs diagnosis diagnoses diagnose investigate troubleshoot investigation execution executions history topology topologies system',
    'systems node nodes service services site platform production prod thing things start begin began started new fresh another make launch',
    'check checked checks look looked covered tested measured probed measure probe ping test unchecked skipped not no take took duration',
    'depend depends depended dependency dependencies dependent upstream downstream list show tell say says said explain detail details more',
    'know need needs fix mend solve repair resolve compare difference changed change cancelled canceled completed running',
    'hello hi hey thanks help overall worry still mean mentioned',
  ].flatMap((line) => line.split(' ')),
);

/** Words that English has not: some of the questions of other languages. */
const FOREIGN = new Set(
  [
    'warum wieso weshalb nicht ist welche welcher läuft funktioniert kaputt wann zeige pourquoi quel quelle quels cassé marche fonctionne',
    'qué cuál cuándo está están falla funciona perché cosa funziona quando waarom werkt dlaczego porque por',
  ].flatMap((line) => line.split(' ')),
);

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Whether a text has words that may be a name. */
export const mayName = (text: string): boolean =>
  wordsIn(text).some((word) => !COMMON.has(word) && !/^\d+$/.test(word));

/** Whether a text seems to be of another language than English. */
export function isForeign(text: string): boolean {
  const words = wordsIn(text);
  const isEnglish = words.some((word) => COMMON.has(word));
  return (
    words.filter((word) => FOREIGN.has(word)).length > (isEnglish ? 1 : 0) ||
    (!isEnglish && /(?!\p{Script=Latin})\p{L}/u.test(text))
  );
}

const SUBJECTS: readonly RegExp[] = [
  /\b(?:wrong|happen\w*|up|problems?|issues?|matter|trouble|going on|know)\s+(?:with|in|on|at|to|about)\s+(?:the\s+|our\s+|my\s+)?([\p{L}\p{N}][\p{L}\p{N}_.-]*)/u,
  /\b(?:diagnose|investigate|troubleshoot|(?:diagnosis|investigation|run) (?:of|for|on))\s+(?:the\s+|our\s+|my\s+)?([\p{L}\p{N}][\p{L}\p{N}_.-]*)/u,
  /^\W*(?:is|are|was)\s+(?:the\s+|our\s+|my\s+)?([\p{L}\p{N}][\p{L}\p{N}_.-]*)\s+(?:ok|okay|up|down|broken|healthy|alive|reachable|slow|fine|affected|well)\b/u,
];

/** What "wrong with X", "diagnose X" or "is X ok" speaks of; undefined where it is no name. */
export function subjectIn(text: string): string | undefined {
  for (const words of SUBJECTS) {
    const word = words.exec(text)?.[1]?.replace(/[.-]+$/, '');
    if (word !== undefined) return mayName(word) ? word : undefined;
  }
  return undefined;
}
