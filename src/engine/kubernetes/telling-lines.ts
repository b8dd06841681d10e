import { clipAtWord } from '../../lib/text.js';
import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { Drain, type Template } from '../logs/drain.js';
import type { ToolRecording } from '../../domain/telemetry/records.js';
import { DULL, OUTPUT_RULES } from './output-rules.js';

/** A line that tells what is wrong. */
export interface TellingLine {
  /** Of `line`, the part around what tells most. */
  text: string;
  line: string;
  weight: number;
  kind?: FailureKind;
}

const MOST_LINES = 200_000;
const MOST_LINE = 400;
const SHOWN = 160;
/** Answers that explain how to look, and say nothing of the system. */
const INSTRUCTIONS = /webpage|instructions|runbook/i;
/** A table of many objects: the others in it are not what is asked about. */
const TABLE = /get_by_kind|get_all|find_resource|top_pods|list_/i;
const BYSTANDER = 0.3;

/**
 * The lines of tool outputs that tell what is wrong, most telling first. Lines of one template
 * count once, more if they repeat; lines about what the question or the other calls name count
 * more; a second line of the same kind counts less than one of another.
 *
 * @param question what was asked
 */
export function tellingLines(
  recordings: readonly ToolRecording[],
  question: string,
  most = 6,
): TellingLine[] {
  const answers = recordings.filter(
    ({ tool, status }) => status !== 'error' && !INSTRUCTIONS.test(tool),
  );
  const asked = new Set(wordsIn(question).filter((word) => word.length > 3));
  const subjects = namesIn(answers);
  const drain = new Drain();
  const groups = new Map<
    Template,
    TellingLine & { count: number; kinds: [FailureKind, number][] }
  >();
  for (const { tool, output } of answers)
    for (const line of readableLines(output)) {
      const { weight, kinds, at } = judgeLine(line);
      if (weight === 0) continue;
      const bystander =
        TABLE.test(tool) && subjects.length > 0 && !subjects.some((name) => line.includes(name));
      const about = wordsIn(line).filter((word) => asked.has(word)).length;
      const total = (weight + about) * (bystander ? BYSTANDER : 1);
      const template = drain.add(line);
      const known = groups.get(template);
      if (known) known.count += 1;
      if (known === undefined || total > known.weight)
        groups.set(template, {
          line,
          text: excerpt(line, at),
          weight: total,
          count: known?.count ?? 1,
          kinds,
        });
    }
  const lines = [...groups.values()].map(({ text, line, weight, count, kinds }): TellingLine => {
    const kind = kinds.toSorted((a, b) => b[1] - a[1])[0]?.[0];
    return { text, line, weight: weight + 0.5 * Math.log2(1 + count), ...(kind && { kind }) };
  });
  const all = [...lines, ...fullNodes(answers), ...blockedByPolicy(lines)];
  return diverse(withoutConsequences(all)).slice(0, most);
}

const wordsIn = (text: string): string[] => text.toLowerCase().split(/[^a-z0-9]+/);

/** Names that calls for a single object asked about. */
const namesIn = (answers: readonly ToolRecording[]): string[] => [
  ...new Set(
    answers.flatMap(({ args }) =>
      [args['name'], args['pod_name'], args['resource_name'], args['keyword']].filter(
        (name): name is string => typeof name === 'string' && name.length > 2,
      ),
    ),
  ),
];

function* readableLines(output: string): Generator<string> {
  let count = 0;
  for (const match of output.matchAll(/[^\n]+/g)) {
    if (count++ === MOST_LINES) return;
    const line = match[0].slice(0, MOST_LINE).trim();
    if (line.length >= 6 && !DULL.test(line)) yield line;
  }
}

/** The part of a line around what tells most. */
function excerpt(line: string, at: number): string {
  const start = Math.max(0, Math.min(at - SHOWN / 3, line.length - SHOWN));
  return `${start === 0 ? '' : '…'}${clipAtWord(line.slice(start), SHOWN)}`;
}

function judgeLine(line: string): { weight: number; kinds: [FailureKind, number][]; at: number } {
  let weight = 0;
  let at = 0;
  let most = 0;
  const kinds: [FailureKind, number][] = [];
  for (const rule of OUTPUT_RULES) {
    const found = line.search(rule.pattern);
    if (found < 0) continue;
    weight += rule.weight;
    if (rule.weight > most) [most, at] = [rule.weight, found];
    if (rule.kind) kinds.push([rule.kind, rule.weight]);
  }
  return { weight, kinds, at };
}

/** A node that runs as many pods as it may takes no other. */
function fullNodes(answers: readonly ToolRecording[]): TellingLine[] {
  return answers.flatMap(({ output }): TellingLine[] => {
    const most = Number(/^[ \t]*pods:[ \t]+(\d+)$/m.exec(output)?.[1] ?? NaN);
    const running = Number(/Non-terminated Pods:\s+\((\d+) in total\)/.exec(output)?.[1] ?? NaN);
    if (!(running >= most)) return [];
    const name = /^Name:\s+(\S+)/m.exec(output)?.[1] ?? 'a node';
    const text = `too many pods: ${name} runs ${running} of at most ${most} pods, its capacity`;
    return [{ text: text.slice(0, SHOWN), line: text, weight: 12, kind: 'capacity' }];
  });
}

/** Where calls fail and a policy that denies is in force, the policy comes first. */
function blockedByPolicy(lines: readonly TellingLine[]): TellingLine[] {
  const policy = lines.find(({ kind }) => kind === 'network-policy');
  const failing = lines.find(
    ({ kind }) => kind === 'dns' || kind === 'unreachable' || kind === 'timeout',
  );
  const name = /NetworkPolicy\/(\S+)/.exec(policy?.text ?? '')?.[1];
  if (name === undefined || failing === undefined) return [];
  const text = `network policy ${name} is in force where calls fail (${failing.kind}): it may drop them, name lookups too`;
  const shown = text.slice(0, SHOWN);
  return [{ text: shown, line: text, weight: failing.weight + 4, kind: 'network-policy' }];
}

const CONSEQUENCES = new Set(
  OUTPUT_RULES.flatMap(({ consequence, kind }) => (consequence && kind ? [kind] : [])),
);
const LEAST_CAUSE = 5;

/** What follows from any cause weighs little where a cause shows. */
function withoutConsequences(lines: readonly TellingLine[]): TellingLine[] {
  const follows = ({ kind }: TellingLine) => kind !== undefined && CONSEQUENCES.has(kind);
  const caused = lines.some(
    (line) => line.kind !== undefined && !follows(line) && line.weight >= LEAST_CAUSE,
  );
  return caused
    ? lines.map((line) => (follows(line) ? { ...line, weight: line.weight * 0.4 } : line))
    : [...lines];
}

function diverse(lines: readonly TellingLine[]): TellingLine[] {
  const seen = new Map<string, number>();
  return lines
    .toSorted((a, b) => b.weight - a.weight)
    .map((line) => {
      const before = seen.get(line.kind ?? '') ?? 0;
      seen.set(line.kind ?? '', before + 1);
      return { ...line, weight: line.weight / (1 + 0.5 * before) };
    })
    .sort((a, b) => b.weight - a.weight);
}
