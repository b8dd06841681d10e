import type { Client } from '../client/index.js';
import { ConsiliumError } from '../domain/errors.js';
import type { EventData, NamedEvent, TerminalEvent } from '../domain/events/event.js';
import type { Verdict } from '../domain/diagnosis/finding.js';
import { isJsonObject } from '../lib/json.js';
import { drivenBy } from './driven-by.js';
import { oneLine } from './report/layout.js';
import { paintFor } from './report/paint.js';
import { createRenderer, isLast } from './report/render.js';
import type { LastEvent } from './report/render-report.js';
import { RunFacts } from './report/run-facts.js';

/** How often a stream without new events is opened again before it is reported as an error. */
const MOST_ATTEMPTS = 8;

/** How a run ended. */
export interface RunEnding {
  runId: string;
  end: TerminalEvent;
  verdict: Verdict | undefined;
  /** The event that ended it, and the facts of the run. */
  last: LastEvent;
  facts: RunFacts;
}

export interface FollowOptions {
  topologyId: number;
  userMessage: string;
  /** Where the run is shown; undefined: nowhere. */
  screen: NodeJS.WriteStream | undefined;
  /** Called with each failure of an agent or of the run, once, if nothing is shown. */
  onFailure?: (line: string) => void;
  /** The run may ask for changes. */
  repair?: true;
  /** Called with each change that the run proposes. */
  onApproval?: (runId: string, approval: EventData['system.approval']) => Promise<void>;
  /** Cancels the run, which is then followed to its end. */
  interrupt: AbortSignal;
}

/**
 * Triggers a run and shows it live, until its terminal event.
 * @throws ConsiliumError when it cannot be started, followed or cancelled
 */
export async function followRun(
  client: Client,
  { topologyId, userMessage, screen, onFailure, repair, onApproval, interrupt }: FollowOptions,
): Promise<RunEnding> {
  const paint = screen === undefined ? undefined : paintFor(screen, process.env);
  const render = createRenderer({
    columns: screen?.columns ?? 100,
    ...(paint === undefined ? {} : { paint }),
  });
  // The run starts even if the service does not answer this.
  const models =
    screen === undefined ? undefined : await drivenBy(client, topologyId).catch(() => undefined);
  if (models !== undefined) screen?.write(`${models}\n`);
  const { runId, events } = await client.trigger(
    { topologyId, userMessage, ...(repair && { repair }) },
    { attempts: MOST_ATTEMPTS },
  );

  const facts = new RunFacts();
  const told = new Set<string>();
  let refused: Error | undefined;
  const stop = (error: unknown): void => {
    refused = error as Error;
    void events.return(undefined);
  };
  const cancel = (): void => {
    client.cancel(runId).catch((error: unknown) => {
      // It ended before: its terminal event follows.
      if (error instanceof ConsiliumError && error.code === 'CANCEL_FAILED') return;
      stop(error);
    });
  };
  if (interrupt.aborted) cancel();
  interrupt.addEventListener('abort', cancel);
  try {
    for await (const event of events) {
      facts.add(event);
      for (const line of render(event)) screen?.write(`${line}\n`);
      const failure = failureText(event);
      if (failure !== undefined && !told.has(failure)) onFailure?.(failure);
      told.add(failure ?? '');
      for (const line of leftOutIn(event)) {
        if (!told.has(line)) console.error(oneLine(`Warning: ${line}`));
        told.add(line);
      }
      if (event.name === 'system.approval') onApproval?.(runId, event.data).catch(stop);
      if (isLast(event))
        return {
          runId,
          end: event.name,
          last: event,
          facts,
          verdict: event.data.report?.verdict,
        };
    }
  } finally {
    interrupt.removeEventListener('abort', cancel);
  }
  throw (
    refused ??
    new ConsiliumError(
      'UNAVAILABLE',
      `The event stream of run ${runId} ended without a terminal event.`,
    )
  );
}

/** The damaged parts of a recording. */
function leftOutIn({ name, data }: NamedEvent): string[] {
  if (name !== 'llm.tool_result' || !isJsonObject(data.result)) return [];
  const { measurements } = data.result;
  const lines = isJsonObject(measurements) ? measurements['left_out'] : [];
  return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
}

/**
 * An error of an agent or of the run, in a line. A node that does not answer is a finding, not an
 * error.
 */
function failureText({ name, data }: NamedEvent): string | undefined {
  if (name === 'lifecycle.failed') return `✗ ${data.code}: ${oneLine(data.error)}`;
  if (name === 'system.error' && !('node' in data))
    return `✗ ${data.code}: ${oneLine(data.message)}`;
  return undefined;
}
