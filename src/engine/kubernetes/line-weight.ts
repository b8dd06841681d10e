import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import { isInformation, severityOf } from '../logs/log-severity.js';
import { OUTPUT_RULES } from '../../domain/failure-texts/output-rules.js';

interface JudgedLine {
  weight: number;
  kind?: FailureKind;
  /** Where the most specific words begin. */
  at: number;
}

/** The additional weight of a second rule that matches the same line. */
const ALSO = 0.3;
const INFORMATION = 0.5;
/** Maximum weight of a rule for log lines, on the scale of the rules for outputs. */
const MOST = 9;
/** The cause of an exception is nearer to the root cause. */
const CAUSED_BY = /^\s*Caused by: /;
const CAUSED_BY_WEIGHT = 1;

/** `evicted_keys:0`, `"rejected": 0,`: a name with a count of zero. */
const NONE_COUNTED = /^[^:=]{1,120}[:=]\s*0(?:\.0+)?\s*,?\s*$/;
/** Things whose absence is a fault. */
const WANTED =
  /ready|avail|replica|endpoint|free|left|remain|(^|[^a-z])up([^a-z]|$)|health|active|running|balance|succe|hit/i;

/**
 * How specific a line of an output is, and the failure that it states: a fault with a count of zero
 * is none.
 */
export function judgeLine(line: string): JudgedLine {
  if (NONE_COUNTED.test(line) && !WANTED.test(line)) return { weight: 0, at: 0 };
  const matches = OUTPUT_RULES.map((rule) => ({ ...rule, at: line.search(rule.pattern) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => b.weight - a.weight);
  const [first, ...others] = matches;
  const said = first?.kind === undefined ? inErrorLine(line) : undefined;
  const best = Math.max(first?.weight ?? 0, said?.weight ?? 0);
  if (best === 0) return { weight: 0, at: 0 };
  const more = others.reduce((sum, { weight }) => sum + weight * ALSO, 0);
  const cause = CAUSED_BY.test(line) ? CAUSED_BY_WEIGHT : 0;
  const kind = matches.find((rule) => rule.kind !== undefined)?.kind ?? said?.kind;
  return {
    weight: (best + more + cause) * (isInformation(line) ? INFORMATION : 1),
    at: first?.at ?? 0,
    ...(kind && { kind }),
  };
}

/** The result of the rules for log lines for an error line. */
function inErrorLine(line: string): { kind: FailureKind; weight: number } | undefined {
  if (severityOf({ severity: '', body: line }) !== 'error') return undefined;
  const found = kindOfText(line);
  return found && { kind: found.kind, weight: found.tells * MOST };
}

const SHOWN = 320;
const TAIL = 100;

/**
 * The displayed part of a line: the whole line, or the text around the most specific words and the
 * end, where wrapped errors name their cause.
 */
export function excerpt(line: string, at: number): string {
  if (line.length <= SHOWN) return line;
  const window = SHOWN - TAIL - 2;
  const wanted = Math.max(0, Math.min(at - window / 3, line.length - SHOWN));
  const start = wanted === 0 ? 0 : line.indexOf(' ', wanted) + 1 || wanted;
  const head = line.slice(start, start + window);
  const rest = line.slice(start + window);
  const tail = rest.length <= TAIL ? rest : ` … ${rest.slice(-TAIL).replace(/^\S*\s/, '')}`;
  return `${start === 0 ? '' : '…'}${head}${tail}`;
}
