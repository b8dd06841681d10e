type Labels = Readonly<Record<string, string>>;
/** Whether the labels of an alert fit. */
export type LabelTest = (labels: Labels) => boolean;

/** A selector that can be tested on labels alone. */
export interface Selector {
  test: LabelTest;
  /** Labels, each with the value that it must have. */
  values: [name: string, value: string][];
}

/**
 * A label, empty if it is absent. Their names are foreign: `constructor` is one that a plain object
 * seems to have.
 */
export const labelOf = (labels: Labels, name: string): string =>
  Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';

/** The literals of a pattern, and the minimum number of characters between each and the next. */
interface Pattern {
  literals: string[];
  gaps: number[];
}

/**
 * Whether a text fits a pattern in which `*` stands for any characters. Takes time in proportion to
 * the product of the lengths.
 */
export const fitsPattern = (text: string, pattern: string): boolean =>
  fits(text, { literals: pattern.split('*'), gaps: [] });

function fits(text: string, { literals, gaps }: Pattern): boolean {
  const [first = '', ...rest] = literals;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [i, literal] of rest.entries()) {
    const from = at + (gaps[i] ?? 0);
    const found = text.indexOf(literal, from);
    // At the end of the text, an empty literal matches.
    if (found < from) return false;
    at = found + literal.length;
  }
  return text.length - last.length >= at + (gaps[rest.length] ?? 0) && text.endsWith(last);
}

const MATCHER = /^\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/;
/**
 * Of a regular expression: literals, `.*` and `.+`, and alternatives. Others are not run on foreign
 * text.
 */
const SIMPLE = /^(?:[\w\s/:@%-]|\\[.-]|\.[*+]|\|)*$/;

/**
 * Reads a selector such as `job="api", zone=~"eu-.*|us-1"`, in braces or not (matchers of PromQL).
 * @returns undefined for a selector that is empty or cannot be tested on labels alone
 */
export function readSelector(selector: string): Selector | undefined {
  const tests: LabelTest[] = [];
  const values: Selector['values'] = [];
  let rest = selector
    .trim()
    .replace(/^[a-zA-Z_:][\w:]*\{|^\{/, '')
    .replace(/\}$/, '');
  while (rest.trim() !== '') {
    const [whole, name = '', operator = '', quoted = ''] = MATCHER.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    rest = rest.slice(whole.length);
    const value = quoted.replaceAll(/\\(["\\])/g, '$1');
    const patterns = operator.endsWith('~') ? patternsOf(value) : undefined;
    if (operator.endsWith('~') && patterns === undefined) return undefined;
    const isOne = (text: string) =>
      patterns ? patterns.some((pattern) => fits(text, pattern)) : text === value;
    if (operator === '=' && value !== '') values.push([name, value]);
    const wanted = !operator.startsWith('!');
    tests.push((labels) => isOne(labelOf(labels, name)) === wanted);
  }
  if (tests.length === 0) return undefined;
  return { test: (labels) => tests.every((test) => test(labels)), values };
}

const patternsOf = (expression: string): Pattern[] | undefined =>
  SIMPLE.test(expression)
    ? expression.split('|').map((each) => ({
        literals: each.split(/\.[*+]/).map((literal) => literal.replaceAll(/\\([.-])/g, '$1')),
        gaps: (each.match(/\.[*+]/g) ?? []).map((gap) => (gap === '.+' ? 1 : 0)),
      }))
    : undefined;
