import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { runsQuery } from '../../api/queries.js';
import type { RunItem } from '../../api/types.js';
import type { RunsSearch } from '../../app/search.js';
import { outcomeOf, type Outcome } from './outcome.js';

export interface ListedRun {
  run: RunItem;
  outcome: Outcome;
}

/**
 * The runs that fit the filters, with what was found.
 * @param pollMs how often they are read again
 */
export function useRuns({ status, kind, topology, q }: RunsSearch, pollMs?: number) {
  const text = useDeferredValue(q?.trim());
  const filter = {
    status,
    kind: kind === 'all' ? undefined : (kind ?? 'diagnosis'),
    topologyId: topology,
    q: text,
  };
  const query = useQuery(runsQuery(filter, pollMs));
  const items = query.data?.items ?? [];
  return { query, runs: items.map((run): ListedRun => ({ run, outcome: outcomeOf(run) })) };
}
