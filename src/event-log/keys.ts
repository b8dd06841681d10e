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
  return {
    /** Sorted set: run ids by creation time in ms. */
    all: `${index}:runs`,
    /** Sorted set: run ids of one topology by creation time in ms. */
    topology: (topologyId: number) => `${index}:topology:${topologyId}`,
    /** Sorted set: runs that may not have ended, for the sweeper. */
    open: `${index}:open`,
    /** Sorted set: `runId:topologyId` of finished runs with a log, by end time in ms. */
    kept: `${index}:kept`,
    /** String: the process that currently enforces retention. */
    lead: `${index}:retention`,
  };
}
