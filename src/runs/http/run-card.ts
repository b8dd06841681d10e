import type { RunState } from '../../event-log/log-port.js';
import { iso } from '../../lib/iso.js';
import type { RunDigest } from './run-digest.js';
import type { RunCard } from './run-views.js';

/** A run in lists and streams of changes. */
export function cardOfRun(runId: string, state: RunState, digest: RunDigest): RunCard {
  const { status, lastSequence, createdAt, startedAt, endedAt, usage, head, expired } = state;
  const hasTopology = head.topologyId !== 0;
  return {
    runId,
    kind: head.kind,
    status,
    topologyId: hasTopology ? head.topologyId : null,
    topologyName: hasTopology ? head.topologyName : null,
    topologyVersion: hasTopology ? head.topologyVersion : null,
    userMessage: head.userMessage,
    createdAt: iso(createdAt),
    startedAt: iso(startedAt),
    endedAt: iso(endedAt),
    deadline: iso(createdAt + head.timeoutMs),
    lastSequence,
    logKept: !expired,
    usage,
    ...digest,
  };
}
