import { useQueries, useQuery } from '@tanstack/react-query';
import { runQuery, runsQuery } from '../../api/queries.js';
import type { RunDetail, RunItem } from '../../api/types.js';
import type { RunsSearch } from '../../app/search.js';
import { outcomeOf, type Outcome } from './outcome.js';

export interface ListedRun {
  run: RunItem;
  detail: RunDetail | undefined;
  outcome: Outcome;
}

/** Reports of lists whose service does not say what was found are read one by one, so many. */
const MOST_DETAILS = 60;

/** The runs that fit the filters, with what was found. */
export function useRuns({ status, kind = 'diagnosis' as never, topology, q = '' }: RunsSearch) {
  const query = useQuery(
    runsQuery({ status, kind: kind === 'all' ? undefined : kind, topologyId: topology }),
  );
  const items = query.data?.items ?? [];
  const silent = items.filter(({ endedAt, verdict }) => endedAt && verdict === undefined);
  const details = useQueries({
    queries: silent.slice(0, MOST_DETAILS).map(({ runId }) => runQuery(runId)),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data ? [[data.runId, data] as const] : []))),
  });
  const runs = items.map((run): ListedRun => {
    const detail = details.get(run.runId);
    return { run, detail, outcome: outcomeOf(run, detail) };
  });
  const needle = q.trim().toLowerCase();
  const fits = ({ run, outcome }: ListedRun): boolean =>
    `${run.userMessage} ${run.topologyName} ${run.runId} ${outcome.text} ${outcome.label}`
      .toLowerCase()
      .includes(needle);
  return { query, runs: needle === '' ? runs : runs.filter(fits) };
}
