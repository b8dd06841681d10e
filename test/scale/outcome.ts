import { check } from '../contract/check-stream.mjs';

export interface RunOutcome {
  /** Ids of the nodes that its report names as root causes. */
  rootCauses: string[];
  /** Violations of the contract, or why it did not complete; empty if all is well. */
  problems: string[];
}

/** Judges the whole log of a run, as a client has read it. */
export function outcomeOf(log: string): RunOutcome {
  const { problems, events } = check(log);
  const last = events.at(-1);
  const data = (last?.data ?? {}) as {
    partial?: boolean;
    reasons?: string[];
    report?: { root_causes: { node: string }[] };
  };
  if (last?.key !== 'lifecycle.completed') problems.push(`it ended with ${last?.key}`);
  else if (data.partial) problems.push(`it is partial: ${data.reasons?.join(', ')}`);
  const rootCauses = (data.report?.root_causes ?? []).map(({ node }) => node);
  return { rootCauses, problems: problems.slice(0, 3) };
}
