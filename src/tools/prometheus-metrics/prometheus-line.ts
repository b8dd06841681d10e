/** One value of a metric at one moment. */
export interface PrometheusSample {
  /** `name{a="1",b="2"}` with sorted labels: the same series always has the same key. */
  key: string;
  name: string;
  labels: ReadonlyMap<string, string>;
  value: number;
}

const MOST_LABELS = 64;

/**
 * A selector is a sample without a value: `name` or `name{label="x"}`. Undefined if it is
 * malformed.
 */
export function parseSelector(text: string): Pick<PrometheusSample, 'name' | 'labels'> | undefined {
  const head = parseHead(text.trim());
  return head && head.rest.trim() === '' ? { name: head.name, labels: head.labels } : undefined;
}

/** Whether a sample has the selector's name and at least its labels. */
export function selects(
  selector: Pick<PrometheusSample, 'name' | 'labels'>,
  sample: PrometheusSample,
): boolean {
  return (
    selector.name === sample.name &&
    [...selector.labels].every(([label, value]) => sample.labels.get(label) === value)
  );
}

/** Reads a line without surrounding white space; undefined if it is not a sample. */
export function parseSample(line: string): PrometheusSample | undefined {
  const head = parseHead(line);
  if (!head) return undefined;
  const value = parseValue(/^\s*(\S*)/.exec(head.rest)?.[1] ?? ''); // A timestamp may follow.
  if (value === undefined) return undefined;
  const { name, labels } = head;
  return { key: keyOf(name, labels), name, labels, value };
}

// No two quantifiers of these can share a character, so that no line takes more than linear time.
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:.]*/;
const LABEL = /(?:\s*,)?\s*([a-zA-Z_][a-zA-Z0-9_.]*)\s*=\s*"([^"\\]*(?:\\.[^"\\]*)*)"/y;
const END_OF_LABELS = /(?:\s*,)?\s*\}/y;

function parseHead(
  text: string,
): { name: string; labels: Map<string, string>; rest: string } | undefined {
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const labels = new Map<string, string>();
  const after = text.slice(name.length).trimStart();
  if (!after.startsWith('{')) return { name, labels, rest: after };
  let position = 1;
  for (let count = 0; count <= MOST_LABELS; count += 1) {
    END_OF_LABELS.lastIndex = position;
    if (END_OF_LABELS.test(after))
      return { name, labels, rest: after.slice(END_OF_LABELS.lastIndex) };
    LABEL.lastIndex = position;
    const match = LABEL.exec(after);
    if (!match) return undefined;
    labels.set(match[1] ?? '', unescape(match[2] ?? ''));
    position = LABEL.lastIndex;
  }
  return undefined;
}

const unescape = (text: string) =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

function parseValue(text: string): number | undefined {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  return /^[+-]?(\d|\.\d)/.test(text) && !Number.isNaN(Number(text)) ? Number(text) : undefined;
}

function keyOf(name: string, labels: ReadonlyMap<string, string>): string {
  if (labels.size === 0) return name;
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}{${sorted.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`;
}
