import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { Drain, type Template } from '../logs/drain.js';
import { stepsOfText } from '../logs/steps-of-text.js';
import type { ToolRecording } from '../../domain/telemetry/records.js';
import { judgeAnswers } from '../answers/judged-answers.js';
import { excerpt, judgeLine } from './line-weight.js';
import { DULL, OUTPUT_RULES } from '../../domain/failure-texts/output-rules.js';

/** A line that states a fault. */
export interface TellingLine {
  /** The part of `line` around the most specific words. */
  text: string;
  line: string;
  weight: number;
  kind?: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
  /** The object that the line is about, if its answer states it. */
  source?: string;
}

const MOST_LINES = 200_000;
const MOST_LINE = 2_000;
/** Answers that explain how to search, and say nothing about the system. */
const INSTRUCTIONS = /webpage|instructions|runbook/i;
/** A table of many objects: the others in it are not asked for. */
const TABLE = /get_by_kind|get_all|find_resource|top_pods|list_/i;
const BYSTANDER = 0.3;
/** Maximum weight of words of the question, and of the repetition of a line. */
const MOST_FOR_WORDS = 3;
const MOST_FOR_COUNT = 2;
/** A log with fewer lines has no course over time. */
const LEAST_LOG = 50;
/** Shares of a log that count as its first and its last part. */
const EDGE = 0.1;
const NOISE = 0.3;

/** Lines of one template. */
interface Group {
  answer: ToolRecording;
  /** Its most specific words, and their position. */
  line: string;
  at: number;
  weight: number;
  kind?: FailureKind;
  count: number;
  /** The positions in the log where they begin and end, 0 to 1; NaN for a short log. */
  first: number;
  last: number;
}

/**
 * The lines of tool outputs that state faults, most specific first. Lines of one template count
 * once, and more if they repeat; lines about something that the question or the other calls name
 * count more; a second line of the same kind counts less than one of another.
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
  const namespaces = namespacesIn(answers);
  const { judged, tables, rest } = judgeAnswers(answers);
  const aboutIn = (line: string) =>
    Math.min(MOST_FOR_WORDS, wordsIn(line).filter((word) => asked.has(word)).length);
  const drain = new Drain();
  const groups = new Map<Template, Group>();
  for (const answer of rest) {
    const { tool, output } = answer;
    const lines = [...readableLines(output)];
    for (const [index, line] of lines.entries()) {
      const { weight, kind, at } = judgeLine(line);
      if (weight === 0) continue;
      const bystander =
        TABLE.test(tool) && subjects.length > 0 && !subjects.some((name) => line.includes(name));
      const total = (weight + aboutIn(line)) * (bystander ? BYSTANDER : 1);
      const template = drain.add(line);
      const place = lines.length < LEAST_LOG ? NaN : index / lines.length;
      const known = groups.get(template) ?? {
        answer,
        line,
        at,
        weight: 0,
        count: 0,
        first: place,
        last: place,
      };
      const isBetter = total > known.weight;
      groups.set(template, {
        ...known,
        ...(isBetter && { answer, line, at, weight: total, ...(kind && { kind }) }),
        last: place,
        count: known.count + 1,
      });
    }
  }
  const lines = withoutNoise([...groups.values()]).map(
    ({ line, at, weight, count, kind, answer }) => ({
      line,
      text: excerpt(line, at),
      weight: weight + Math.min(MOST_FOR_COUNT, 0.5 * Math.log2(1 + count)),
      ...(kind && { kind }),
      ...stepsOfText(kind, line),
      ...sourceOf(answer),
    }),
  );
  const objects = judged.map(({ name, namespace, ...line }): TellingLine => {
    const isSubject =
      subjects.length === 0 ||
      subjects.some((subject) => name.startsWith(subject) || subject.startsWith(name));
    const isNear = namespaces.length === 0 || namespace === '' || namespaces.includes(namespace);
    const factor = isSubject && isNear ? 1 : BYSTANDER;
    return { ...line, line: line.text, weight: (line.weight + aboutIn(line.text)) * factor };
  });
  const found = tables.map((table) => ({ ...table, line: table.text }));
  const all = [...objects, ...found, ...lines, ...fullNodes(answers), ...blockedByPolicy(lines)];
  return diverse(withoutConsequences(all)).slice(0, most);
}

/**
 * A template that occurs from the first lines of a log to the last is usual, if something else
 * began later.
 */
function withoutNoise(groups: readonly Group[]): Group[] {
  const later = new Set(
    groups
      .filter(({ first, weight }) => first > EDGE && weight >= LEAST_CAUSE)
      .map(({ answer }) => answer),
  );
  return groups.map((group) => {
    const isUsual = group.first <= EDGE && group.last >= 1 - EDGE && group.count > 2;
    return isUsual && later.has(group.answer) ? { ...group, weight: group.weight * NOISE } : group;
  });
}

/** The object that an answer is about. */
function sourceOf({ args }: ToolRecording): { source?: string } {
  const text = (...keys: string[]) =>
    keys
      .map((key) => args[key])
      .find((value): value is string => typeof value === 'string' && value !== '');
  const name = text('name', 'pod_name', 'resource_name', 'app_name', 'release_name');
  if (name === undefined) return {};
  const kind = text('kind', 'resource_type') ?? (text('pod_name') === undefined ? '' : 'pod');
  const namespace = text('namespace');
  return { source: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`.trim() };
}

const wordsIn = (text: string): string[] => text.toLowerCase().split(/[^a-z0-9]+/);

/** Names that calls for a single object asked about. */
const namesIn = (answers: readonly Pick<ToolRecording, 'args'>[]): string[] => [
  ...new Set(
    answers.flatMap(({ args }) =>
      [args['name'], args['pod_name'], args['resource_name'], args['keyword']].filter(
        (name): name is string => typeof name === 'string' && name.length > 2,
      ),
    ),
  ),
];

/** Namespaces that calls for a single object name. */
const namespacesIn = (answers: readonly ToolRecording[]): string[] => [
  ...new Set(
    answers.flatMap(({ args }) =>
      typeof args['namespace'] === 'string' && namesIn([{ args }]).length > 0
        ? [args['namespace']]
        : [],
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

/** A machine that runs the maximum number of pods accepts no other. */
function fullNodes(answers: readonly ToolRecording[]): TellingLine[] {
  return answers.flatMap(({ output }): TellingLine[] => {
    const most = Number(/^[ \t]*pods:[ \t]+(\d+)$/m.exec(output)?.[1] ?? NaN);
    const running = Number(/Non-terminated Pods:\s+\((\d+) in total\)/.exec(output)?.[1] ?? NaN);
    if (!(running >= most)) return [];
    const name = /^Name:\s+(\S+)/m.exec(output)?.[1] ?? 'a node';
    const text = `too many pods: ${name} runs ${running} of at most ${most} pods, its capacity`;
    return [{ text, line: text, weight: 12, kind: 'capacity' }];
  });
}

/** If calls fail and a policy that denies is in force, the policy comes first. */
function blockedByPolicy(lines: readonly TellingLine[]): TellingLine[] {
  const policy = lines.find(({ kind }) => kind === 'network-policy');
  const failing = lines.find(
    ({ kind }) => kind === 'dns' || kind === 'unreachable' || kind === 'timeout',
  );
  const name = /NetworkPolicy\/(\S+)/.exec(policy?.text ?? '')?.[1];
  if (name === undefined || failing === undefined) return [];
  const text = `network policy ${name} is in force where calls fail (${failing.kind}): it may drop them, name lookups too`;
  return [{ text, line: text, weight: failing.weight + 4, kind: 'network-policy' }];
}

const CONSEQUENCES = new Set(
  OUTPUT_RULES.flatMap(({ consequence, kind }) => (consequence && kind ? [kind] : [])),
);
const LEAST_CAUSE = 5;

/** A consequence of any cause has little weight if a cause is known. */
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
