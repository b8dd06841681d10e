import pLimit from 'p-limit';
import type { Telemetry } from '../domain/topology/topology.js';
import { observe, type ObservationsRead } from '../sources/observe.js';
import type { SourceSet } from '../sources/source-set.js';
import type { SourceError } from '../sources/http/source-error.js';
import { UnreadNodesError } from '../sources/unread-nodes.js';
import { sourcesOf } from './telemetry.js';
import type { ToolContext } from './tool.js';

/**
 * Maximum observations that a process keeps, the latest ones, and that are read at once; others
 * wait. Each may be large.
 */
const MOST_HELD = 3;
const MOST_READ = 4;
const inTurn = pLimit(MOST_READ);

const held = new Map<SourceSet, Promise<ObservationsRead>>();

interface NodeObservations extends ObservationsRead {
  /**
   * Why a part of the needs could not be read for the node of the call, although others of its
   * sources were.
   */
  unread?: SourceError;
}

/**
 * The records of the topology's sources, read once for all tools of a diagnosis.
 * @param needs the telemetry that the caller requires
 * @throws why one of the needs could not be read at all for the node of the call, such as a
 *   SourceError
 */
export async function observed(
  context: ToolContext,
  ...needs: Telemetry[]
): Promise<NodeObservations> {
  const reading = await readingOf(context);
  let unread: SourceError | undefined;
  for (const need of needs) {
    const failure = reading.failed.get(need);
    if (failure instanceof UnreadNodesError) {
      const own = failure.nodes.get(context.node.id);
      if (own && !hasRecords(reading, need, context.node.id)) throw own;
      unread ??= own;
    } else if (failure) throw failure;
  }
  return { ...reading, ...(unread && { unread }) };
}

/** Whether anything of a kind was read of a node. */
function hasRecords(reading: ObservationsRead, telemetry: Telemetry, node: string): boolean {
  const { series, templates, spans, changes } = reading;
  const records = { metrics: series, logs: templates, traces: spans, changes };
  if (!(telemetry in records)) return false;
  return records[telemetry as keyof typeof records].some((each) => each.node === node);
}

/**
 * Waits until the recording is read. A recording may be large; answers of servers are bounded in
 * time by {@link observe}.
 */
export const recordingRead = async (context: ToolContext): Promise<unknown> =>
  context.sources?.isRecorded === true ? readingOf(context) : undefined;

function readingOf(context: ToolContext): Promise<ObservationsRead> {
  const sources = sourcesOf(context);
  const known = held.get(sources);
  held.delete(sources);
  // The signal of one call must not end the reading for the others: it has its own limit.
  const reading =
    known ?? inTurn(() => observe(sources, context.nodes, new AbortController().signal));
  held.set(sources, reading);
  reading.catch(() => held.delete(sources));
  const [oldest] = held.keys();
  if (held.size > MOST_HELD && oldest !== undefined) held.delete(oldest);
  return reading;
}
