/**
 * Every key of the event log, spelled once. All keys of a run share the hash tag `{runId}`, so that one script may touch
 * them all in a cluster; the index of runs lives under a tag of its own.
 */
export function runKeys(prefix: string, runId: string) {
  const run = `${prefix}:{${runId}}`;
  return {
    /** Stream: entry `<sequence>-0`, field `f` = the frame's bytes. */
    log: `${run}:log`,
    /** Hash: status, sequence, times, token totals, and the run's pinned specification. */
    state: `${run}:state`,
    /** Hash: writer → `epoch:step:first:last:claims:done`; `@writer` → name of its last claim and the step at which it came. */
    writers: `${run}:writers`,
    /** Hash: writer → its last checkpoint, JSON. */
    checkpoints: `${run}:checkpoints`,
    /** Hash: tool_call_id → sequence of its `llm.tool_result`. */
    evidence: `${run}:evidence`,
    /** Hash: writer → `reserved:used`, its tokens of the run's budget. */
    budget: `${run}:budget`,
    /** Hash: dispatch_id → sequence of its `dispatch.team` or `dispatch.worker`. */
    dispatches: `${run}:dispatches`,
    /** Hash: dispatch_id → sequence of its `dispatch.report`. */
    reports: `${run}:reports`,
    /** List: the messages of one writer's conversation with its model; only ever pushed to. */
    messages: (writer: string) => `${run}:messages:${writer}`,
    /** Channel: `<first> <last> <sealed>\n` and the frames of one append. */
    feed: `${run}:feed`,
  };
}

export type RunKeys = ReturnType<typeof runKeys>;

export function indexKeys(prefix: string) {
  const index = `${prefix}:{index}`;
  return {
    /** Sorted set: run id by time of creation in ms. */
    all: `${index}:runs`,
    /** The same of one topology. */
    topology: (topologyId: number) => `${index}:topology:${topologyId}`,
    /** The same of runs that are not known to have ended: what the sweeper looks at. */
    open: `${index}:open`,
    /** Sorted set: `runId:topologyId` of finished runs that have their logs, by the time of their end in ms. */
    kept: `${index}:kept`,
    /** String: the process that sees to retention now. */
    lead: `${index}:retention`,
  };
}
