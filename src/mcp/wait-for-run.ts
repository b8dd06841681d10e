import type { Client } from '../client/index.js';
import type { NamedEvent } from '../domain/events/event.js';
import { eventText } from '../domain/events/event-text.js';
import { clip } from '../lib/text.js';

/** Code points of one line of progress. */
const LINE = 200;
/** Maximum lines of progress in a result, the latest ones. */
const LINES = 40;

export interface WaitOptions {
  /** The last sequence that the caller has. */
  afterSeq: number;
  /** How long to wait for the end of the run, in seconds; 0: only reads what is recorded. */
  waitSeconds: number;
  /** Ends the wait. The run continues. */
  signal: AbortSignal;
  /** Called for each event that has a line of progress. */
  onProgress?: (sequence: number, line: string) => void;
}

export interface RunProgress {
  /** Lines of progress, latest last. */
  progress: string[];
  lastSeq: number;
}

/**
 * Reads the log of a run until it ends, the time is up or the caller has disconnected. Never stops
 * the run.
 */
export async function waitForRun(
  client: Pick<Client, 'follow' | 'show'>,
  runId: string,
  { afterSeq, waitSeconds, signal, onProgress }: WaitOptions,
): Promise<RunProgress> {
  const waited: RunProgress = { progress: [], lastSeq: afterSeq };
  const { lastSequence: recorded } = await client.show(runId, { signal });
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  let isLate = false;
  const endIfLate = () => {
    // Events that were recorded before are read in any case.
    if (isLate && waited.lastSeq >= recorded) over.abort();
  };
  const timer = setTimeout(() => {
    isLate = true;
    endIfLate();
  }, waitSeconds * 1_000);
  try {
    for await (const event of client.follow(runId, { after: afterSeq, signal: end })) {
      waited.lastSeq = event.sequence;
      note(progressLine(event), event.sequence);
      endIfLate();
      if (end.aborted) break;
    }
  } catch (error) {
    if (!end.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return waited;

  function note(line: string | undefined, sequence: number): void {
    if (line === undefined) return;
    waited.progress.push(line);
    if (waited.progress.length > LINES) waited.progress.shift();
    onProgress?.(sequence, line);
  }
}

/**
 * One line for an event that shows progress; undefined for the others (text of models, usage).
 * @internal Exported for tests.
 */
export function progressLine(event: NamedEvent): string | undefined {
  const agent = event.source?.agent_name;
  switch (event.name) {
    case 'llm.tool_result':
    case 'dispatch.report':
    case 'dispatch.team':
    case 'dispatch.worker':
    case 'system.warning':
    case 'system.error':
    case 'system.approval':
    case 'system.decision':
    case 'lifecycle.completed':
    case 'lifecycle.failed':
    case 'lifecycle.cancelled': {
      const text = eventText(event).replace(/\s+/g, ' ').trim();
      return text === '' ? undefined : clip(agent === undefined ? text : `${agent}: ${text}`, LINE);
    }
    default:
      return undefined;
  }
}
