/** `Key: value` of a text in which more indented lines belong to the line above. */
export interface Entry {
  key: string;
  value: string;
  /** The more indented lines below it, unchanged. */
  below: readonly string[];
}

/** Words with single spaces: two spaces separate the columns of a table. */
const ENTRY = /^([A-Za-z][\w./()-]{0,200}(?: [\w./()-]{1,60}){0,5}):(?:\s+(.*))?$/;
const MOST_LINES = 5_000;

/**
 * The entries of the outermost level, as `kubectl describe` prints them. A line of the same level
 * that is not an entry belongs to the one before.
 */
export function outline(lines: readonly string[]): Entry[] {
  const known = lines.slice(0, MOST_LINES).filter((line) => line.trim() !== '');
  const least = Math.min(...known.map(indentOf));
  const entries: (Entry & { below: string[] })[] = [];
  for (const line of known) {
    const found = indentOf(line) === least ? ENTRY.exec(line.trim()) : null;
    if (found) entries.push({ key: found[1] ?? '', value: (found[2] ?? '').trim(), below: [] });
    else entries.at(-1)?.below.push(line);
  }
  return entries;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** By key, the first of each. */
export const byKey = (entries: readonly Entry[]): ReadonlyMap<string, Entry> =>
  new Map(entries.toReversed().map((entry) => [entry.key, entry]));

/** The value of an entry and the lines that continue it: each label is on its own line. */
export const valuesOf = (entry: Entry | undefined): string[] =>
  entry === undefined
    ? []
    : [entry.value, ...entry.below.map((line) => line.trim())].filter(
        (value) => value !== '' && value !== '<none>',
      );

/** `app=web` of labels and selectors, separated by lines or commas. */
export const pairsIn = (values: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    values
      .flatMap((value) => value.split(','))
      .flatMap((pair) => {
        const [, key, value = ''] = /^\s*([\w./-]{1,317})=(\S*)\s*$/.exec(pair) ?? [];
        return key === undefined ? [] : [[key, value] as const];
      }),
  );
