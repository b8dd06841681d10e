import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask, call, ApiError } from './http.js';
import type {
  BehaviourItem,
  ConversationItem,
  ConversationTree,
  LimitItem,
  ModelItem,
  Page,
  Readiness,
  RuleItem,
  RunDetail,
  RunItem,
  ServiceStatus,
  SubscriberItem,
  ToolItem,
  Topology,
  TopologyItem,
} from './types.js';

/** Interval of polling, in ms, while the page is visible. */
const POLL = {
  runs: 5_000,
  topologies: 10_000,
  conversations: 5_000,
  status: 2_000,
  readiness: 3_000,
};

/**
 * Polls so often; after a refusal that asks to wait longer, as long as it asks.
 * @param afterError ms
 */
const every =
  (ms: number, afterError = ms) =>
  ({ state: { error } }: { state: { error: Error | null } }): number => {
    if (error === null) return ms;
    const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    return Math.max(afterError, asked);
  };

export interface RunsFilter {
  status?: string | undefined;
  kind?: string | undefined;
  topologyId?: number | undefined;
  limit?: number | undefined;
  /** A text in the id, the question, the topology, the headline or the error. */
  q?: string | undefined;
}

function runsPath({ status, kind, topologyId, q, limit = 100 }: RunsFilter): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (status) query.set('status', status);
  if (kind) query.set('kind', kind);
  if (q) query.set('q', q);
  if (topologyId !== undefined) query.set('topologyId', String(topologyId));
  return `executions?${query.toString()}`;
}

/** @param pollMs the browser keeps the answer, and asks with its `ETag` whether it has changed */
export const runsQuery = (filter: RunsFilter, pollMs = POLL.runs) =>
  queryOptions({
    queryKey: ['runs', filter],
    queryFn: ({ signal }) => call<Page<RunItem>>('GET', runsPath(filter), { signal }),
    refetchInterval: every(pollMs, POLL.runs),
    placeholderData: keepPreviousData,
  });

/** The report of a run that has ended does not change: it is read once. */
export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => call<RunDetail>('GET', `executions/${runId}`, { signal }),
    staleTime: ({ state }) => (state.data?.endedAt ? Infinity : 0),
  });

/** The versions of a topology that are kept, newest first. */
export const versionsQuery = (id: number) =>
  queryOptions({
    queryKey: ['versions', id],
    queryFn: ({ signal }) =>
      call<Page<TopologyItem>>('GET', `topologies/${id}/versions`, { signal }),
  });

export const topologiesQuery = () =>
  queryOptions({
    queryKey: ['topologies'],
    queryFn: ({ signal }) => call<Page<TopologyItem>>('GET', 'topologies', { signal }),
    refetchInterval: every(POLL.topologies),
  });

export const topologyQuery = (id: number | string) =>
  queryOptions({
    queryKey: ['topology', String(id)],
    queryFn: ({ signal }) => call<Topology>('GET', `topologies/${id}`, { signal }),
  });

export const conversationsQuery = () =>
  queryOptions({
    queryKey: ['conversations'],
    queryFn: ({ signal }) => call<Page<ConversationItem>>('GET', 'conversations', { signal }),
    refetchInterval: every(POLL.conversations),
  });

export const treeQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => call<ConversationTree>('GET', `conversations/${id}/tree`, { signal }),
    enabled: id !== 'new',
    // Another page, or this one before it was loaded again, may have asked what is being answered.
    refetchInterval: ({ state }) =>
      state.data?.nodes.some(({ status }) => status === 'running') ? POLL.status : false,
  });

const catalogue = <T>(name: string) =>
  queryOptions({
    queryKey: [name],
    queryFn: ({ signal }) => call<Page<T>>('GET', name, { signal }),
  });

export const modelsQuery = () => catalogue<ModelItem>('models');
export const toolsQuery = () => catalogue<ToolItem>('tools');
export const rulesQuery = () => catalogue<RuleItem>('rules');
export const subscribersQuery = () => catalogue<SubscriberItem>('subscribers');
export const behavioursQuery = () => catalogue<BehaviourItem>('behaviours');

/** Bounds and defaults of limits. They change with the service only. */
export const limitBoundsQuery = () =>
  queryOptions({ ...catalogue<LimitItem>('limits'), staleTime: Infinity });

export const statusQuery = () =>
  queryOptions({
    queryKey: ['status'],
    queryFn: ({ signal }) => call<ServiceStatus>('GET', 'status', { signal }),
    refetchInterval: every(POLL.status),
    retry: false,
  });

/** The limits of the caller. */
export const limitsQuery = () =>
  queryOptions({
    queryKey: ['own limits'],
    queryFn: ({ signal }) =>
      call<Record<string, number>>('GET', '/api/settings/agent-config', { signal }),
  });

export const metricsQuery = () =>
  queryOptions({
    queryKey: ['metrics'],
    queryFn: async ({ signal }) =>
      (await ask('GET', '/metrics', { signal, headers: { accept: 'text/plain' } })).text(),
    refetchInterval: every(1_000),
    retry: false,
  });

/** Refused with {@link isStoreAway} while the store is away. */
export const readinessQuery = () =>
  queryOptions({
    queryKey: ['readiness'],
    queryFn: ({ signal }) => call<Readiness>('GET', '/health/ready', { signal }),
    refetchInterval: every(POLL.readiness),
    retry: false,
  });
