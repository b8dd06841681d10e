import type { ReportLine } from './report-line.js';
import type { Truth } from './truth.js';

/** The comparison of a report with the truth; fields that the truth does not define are absent. */
export interface Score {
  id: string;
  set: string;
  /** For a healthy incident: whether the report has the verdict healthy. */
  calm?: boolean;
  /** For any other incident: whether the report has the verdict healthy. */
  missed?: boolean;
  /** Share of the root causes among the first 1, 2, 3, 4, 5 suspects. */
  accuracy?: readonly number[];
  kind?: boolean;
  change?: boolean;
  /** Selected a change that the truth calls a decoy. */
  decoy?: boolean;
  text?: boolean;
  confidence?: number;
  seconds: number;
  tokens: number;
  cost: number;
}

const RANKS = [1, 2, 3, 4, 5];

/** An incident without a report is wrong in every respect. */
export function scoreReport(truth: Truth, report: ReportLine | undefined): Score {
  const { id, set } = truth;
  const spent = {
    seconds: report?.seconds ?? 0,
    tokens: report?.tokens ?? 0,
    cost: report?.cost ?? 0,
  };
  if (truth.healthy) return { id, set, calm: report?.healthy ?? false, ...spent };
  const ranked = (report?.ranked ?? []).filter(
    ({ node }, i, all) => all.findIndex((other) => other.node === node) === i,
  );
  const missed = report?.healthy ?? false;
  const [first] = ranked;
  const wanted = truth.rootCauses.find(({ node }) => node === first?.node)?.kind;
  const selected = first?.change ?? 'none';
  return {
    id,
    set,
    missed,
    ...spent,
    accuracy: RANKS.map((k) => (missed ? 0 : accuracyAt(k, truth, ranked))),
    ...(wanted !== undefined && { kind: first?.kind === wanted }),
    ...(truth.change !== undefined && {
      change: report !== undefined && isSameChange(selected, truth.change),
      decoy: (truth.decoys?.changes ?? []).some((decoy) => isSameChange(selected, decoy)),
    }),
    ...(truth.text && {
      text: truth.text.every((pattern) => new RegExp(pattern, 'i').test(report?.text ?? '')),
    }),
    ...(report?.confidence !== undefined && { confidence: report.confidence }),
  };
}

/** A prefix of seven characters names a commit. */
const isSameChange = (reported: string, id: string): boolean =>
  reported === id || (reported.length >= 7 && id.startsWith(reported));

/** Ties are counted by their expected value over all orders. */
function accuracyAt(k: number, { rootCauses }: Truth, ranked: ReportLine['ranked']): number {
  const found = rootCauses.map(({ node }) => {
    const at = ranked.findIndex((suspect) => suspect.node === node);
    if (at < 0) return 0;
    const tied = ranked.flatMap(({ score }, i) =>
      i === at || (score !== undefined && score === ranked[at]?.score) ? [i] : [],
    );
    const from = tied[0] ?? at;
    return Math.max(0, Math.min(k, from + tied.length) - from) / tied.length;
  });
  return found.reduce((sum, share) => sum + share, 0) / Math.min(k, Math.max(1, rootCauses.length));
}
