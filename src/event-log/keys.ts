import { DEFAULT_TENANT } from '../domain/tenant.js';

/**
 * Every Redis key of the event log. All keys of a run share the hash tag `{runId}`, so that one
 * script can use them in a cluster. The index of runs has its own tag.
 */
export function runKeys(prefix: string, runId: string) {
  const run = `${prefix}:{${runId}}`;
  return {
    /** Stream: entry `<sequence>-0`, field `f`: the bytes of the frame. */
    log: `${run}:log`,
    /** Hash: status, sequence, times, token totals and the specification of the run. */
    state: `${run}:state`,
    /**
     * Hash: writer → `epoch:step:first:last:claims:done`; `@writer` → name of its last claim and
     * the step at which it was made.
     */
    writers: `${run}:writers`,
    /** Hash: writer → its last checkpoint, as JSON. */
    checkpoints: `${run}:checkpoints`,
    /** Hash: tool_call_id → sequence of its `llm.tool_result`. */
    evidence: `${run}:evidence`,
    /** Hash: writer → `reserved:used`, in tokens of the run's budget. */
    budget: `${run}:budget`,
    /** Hash: dispatch_id → sequence of its `dispatch.team` or `dispatch.worker`. */
    dispatches: `${run}:dispatches`,
    /** Hash: dispatch_id → sequence of its `dispatch.report`. */
    reports: `${run}:reports`,
    /** List: the messages of a writer's conversation with its model. Append-only. */
    messages: (writer: string) => `${run}:messages:${writer}`,
    /** Channel: `<first> <last> <sealed>\n` and the frames of one append. */
    feed: `${run}:feed`,
  };
}

export type RunKeys = ReturnType<typeof runKeys>;

export function indexKeys(prefix: string) {
  const index = `${prefix}:{index}`;
  const own = (tenant: string) => (tenant === DEFAULT_TENANT ? index : `${index}:tenant:${tenant}`);
  return {
    /** Sorted set: run ids of a tenant by creation time in ms. */
    all: (tenant: string) => `${own(tenant)}:runs`,
    /** Sorted set: run ids of one topology of a tenant by creation time in ms. */
    topology: (tenant: string, topologyId: number) => `${own(tenant)}:topology:${topologyId}`,
    /** Sorted sets: as `all` and `topology`, of diagnoses alone. */
    diagnoses: (tenant: string) => `${own(tenant)}:diagnoses`,
    topologyDiagnoses: (tenant: string, topologyId: number) =>
      `${own(tenant)}:diagnoses:${topologyId}`,
    /**
     * Hash: tenant → the time in ms up to which `diagnoses` has all diagnoses, also those that
     * earlier versions accepted.
     */
    entered: `${index}:diagnoses-entered`,
    /** Set: the tenants that have had runs, except the default one. */
    tenants: `${index}:tenants`,
    /**
     * Sorted set: `runId:topologyId`, or `runId:topologyId:tenant`, of runs that may not have
     * ended, for the sweeper.
     */
    open: `${index}:open`,
    /** Sorted set: members as of `open`, of finished runs with a log, by end time in ms. */
    kept: `${index}:kept`,
    /** String: the process that currently enforces retention. */
    lead: `${index}:retention`,
  };
}
