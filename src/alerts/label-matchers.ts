/** Whether the labels of an alert fit. */
export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * Whether a text fits a pattern in which `*` stands for any characters. Takes time in proportion to the product of the lengths.
 */
export function fitsPattern(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

const MATCHER = /^\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/;
/** Of a regular expression: literals, `.*` and `.+`, and alternatives. Others are not run on foreign text. */
const SIMPLE = /^(?:[\w\s/:@%-]|\\[.-]|\.[*+]|\|)*$/;

/**
 * The test of a selector such as `job="api", zone=~"eu-.*|us-1"`, in braces or not (matchers of PromQL).
 * @returns undefined for a selector that is empty or cannot be tested on labels alone
 */
export function readSelector(selector: string): LabelTest | undefined {
  const tests: LabelTest[] = [];
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
    const fits = (text: string) =>
      patterns ? patterns.some((pattern) => fitsPattern(text, pattern)) : text === value;
    const wanted = !operator.startsWith('!');
    tests.push((labels) => fits(labels[name] ?? '') === wanted);
  }
  return tests.length === 0 ? undefined : (labels) => tests.every((test) => test(labels));
}

const patternsOf = (expression: string): string[] | undefined =>
  SIMPLE.test(expression)
    ? expression
        .split('|')
        .map((each) => each.replaceAll(/\.[*+]/g, '*').replaceAll(/\\([.-])/g, '$1'))
    : undefined;
