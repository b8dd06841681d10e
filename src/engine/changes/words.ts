/** Words without information about a change: of languages, of protocols, of all commit messages. */
const STOP = new Set(
  (
    'the a an of to in on for and or is are was be by with from at as it its this that not no if else return func function const let var def ' +
    'class self new nil null none true false err error errors failed failure failing service svc server client request requests response ' +
    'handler get set add use update fix chore feat refactor test docs tidy simplify bump code type struct string int bool import package ctx ' +
    'context http https log logger info warn debug fmt print len range value values key name data list item items config cfg default time ' +
    'second seconds minute minutes millisecond ms src pkg internal cmd main util utils common lib go py ts js java tsx jsx yaml yml json toml ' +
    'com org net sql md css html app api id i j k n x y z s e r w v p t b c d f g h m o q u public private static void async await export try catch throw throws'
  ).split(' '),
);

/**
 * Words of a text: identifiers are split at case, digits and punctuation; endings of plurals and
 * verbs are cut.
 */
export const wordsOf = (text: string): string[] => wholeWords(text).map(([, stem]) => stem);

/** Words of a text, each as it is written, in lower case, and without its ending. */
export function wholeWords(text: string): [whole: string, stem: string][] {
  const parts = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .split(/[^A-Za-z0-9]+/);
  return parts.flatMap((part): [string, string][] => {
    const whole = part.toLowerCase();
    if (whole.length < 3 || /^\d+$/.test(whole)) return [];
    const stem = whole
      .replace(/(?<=.{3})(?:ies)$/, 'y')
      .replace(/(?<=[^s].{2})s$/, '')
      .replace(/(?<=.{4})(?:ing|ed|ion|er|or|ment)$/, '');
    return STOP.has(stem) || STOP.has(whole) ? [] : [[whole, stem]];
  });
}
