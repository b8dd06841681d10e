import type { Score } from './score.js';

/**
 * Published results of others on a set, or the result of a simple rule: shown beside the scores.
 */
const REFERENCES: Readonly<Record<string, string>> = {
  rcb: 'latest deploy of the alerting service: change 3/10; published keyword script: change 5/10',
  'rcb-no-culprit': 'published keyword script: change 0/10',
  petshop: 'published traversal: AC@1 .34 (ties averaged), AC@3 .69',
  tt: 'Nezha as published (45 cases): AC@1 .87, AC@3 .98',
  holmes: 'lexicon that was not tuned: text 9/18',
};

const HEADS = [
  'set',
  'n',
  'AC@1',
  'AC@3',
  'AC@5',
  'Avg@5',
  'kind',
  'change',
  'decoy',
  'text',
  'calm',
  'missed',
  's',
  'tokens',
  'cost',
];

/** The scores of a set of incidents. */
export interface Summary {
  count: number;
  /** AC@1, AC@3, AC@5, Avg@5: NaN where nothing is wrong in any of them. */
  accuracy: readonly [number, number, number, number];
  /** A count and its total. */
  parts: Record<
    'kind' | 'change' | 'decoy' | 'text' | 'calm' | 'missed',
    readonly [number, number]
  >;
  seconds: number;
  tokens: number;
  cost: number;
}

export function summarise(scores: readonly Score[]): Summary {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const known = scores.flatMap(({ accuracy }) => (accuracy ? [accuracy] : []));
  const at = (i: number) => mean(known.map((row) => row[i] ?? 0));
  const part = (key: keyof Summary['parts']) => {
    const values = scores.flatMap((score) => score[key] ?? []);
    return [values.filter(Boolean).length, values.length] as const;
  };
  return {
    count: scores.length,
    accuracy: [at(0), at(2), at(4), mean(known.map(mean))],
    parts: {
      kind: part('kind'),
      change: part('change'),
      decoy: part('decoy'),
      text: part('text'),
      calm: part('calm'),
      missed: part('missed'),
    },
    seconds: mean(scores.map(({ seconds }) => seconds)),
    tokens: scores.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: scores.reduce((sum, { cost }) => sum + cost, 0),
  };
}

export const bySet = (scores: readonly Score[]): Map<string, Score[]> => {
  const sets = new Map<string, Score[]>();
  for (const score of scores) sets.set(score.set, [...(sets.get(score.set) ?? []), score]);
  return sets;
};

/** One row for each set, with the results of others. */
export function scoreTable(scores: readonly Score[]): string {
  const rows = [...bySet(scores)].map(([set, own]) => rowOf(set, summarise(own)));
  const widths = HEADS.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  const references = [...bySet(scores).keys()].flatMap((set) =>
    REFERENCES[set] === undefined ? [] : [`${set}: ${REFERENCES[set]}`],
  );
  return [
    line(HEADS),
    ...rows.map(line),
    ...(references.length > 0 ? ['', 'For comparison:', ...references] : []),
  ].join('\n');
}

function rowOf(set: string, { count, accuracy, parts, seconds, tokens, cost }: Summary): string[] {
  const share = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(3));
  const of = ([right, all]: readonly [number, number]) => (all === 0 ? '-' : `${right}/${all}`);
  return [
    set,
    String(count),
    ...accuracy.map(share),
    ...[parts.kind, parts.change, parts.decoy, parts.text, parts.calm, parts.missed].map(of),
    seconds.toFixed(1),
    String(tokens),
    cost === 0 ? '-' : cost.toFixed(2),
  ];
}
