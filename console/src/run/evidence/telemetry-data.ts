import { fieldsOf, listOf, numberOf, textOf, textsOf, type Fields } from '../../model/read.js';

const MOST = 8;

export interface Suspect {
  node: string;
  title: string;
  confidence: number;
  speaksFor: string[];
  against: string[];
}

/** The suspects of a ranking, most suspect first. */
export function suspectsIn({ causes }: Fields): Suspect[] {
  return listOf(causes)
    .slice(0, MOST)
    .flatMap((item): Suspect[] => {
      const fields = fieldsOf(item);
      const confidence = numberOf(fields['confidence']);
      if (confidence === undefined) return [];
      return [
        {
          node: textOf(fields['node']),
          title: textOf(fields['title']),
          confidence,
          speaksFor: textsOf(fields['for']),
          against: textsOf(fields['against']),
        },
      ];
    });
}

const KINDS = [
  ['new', 'New'],
  ['surging', 'More often'],
  ['gone', 'No longer there'],
] as const;

export interface LinesOfAKind {
  kind: string;
  lines: { text: string; error: boolean; count: number | undefined; first: string; last: string }[];
}

/** What the log of a node began to say, says more often, and no longer says. */
export function patternsIn(measured: Fields): LinesOfAKind[] {
  if (measured['pattern_count'] === undefined) return [];
  return KINDS.map(([key, kind]) => ({
    kind,
    lines: listOf(measured[key]).map((item) => {
      const fields = fieldsOf(item);
      return {
        text: textOf(fields['sample'], textOf(fields['pattern'])),
        error: fields['error'] === true,
        count: numberOf(fields['count']),
        first: textOf(fields['first']),
        last: textOf(fields['last']),
      };
    }),
  })).filter(({ lines }) => lines.length > 0);
}
