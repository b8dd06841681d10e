import type { Client } from '../client/index.js';
import { ConsiliumError } from '../domain/errors.js';
import { isTerminal, type NamedEvent, type TerminalEvent } from '../domain/events/event.js';
import type { Verdict } from '../domain/diagnosis/finding.js';
import { drivenBy } from './driven-by.js';
import { oneLine } from './layout.js';
import { paintFor } from './paint.js';
import { createRenderer } from './render.js';

/** How often a stream that gives nothing new is opened again before a person is told. */
const MOST_ATTEMPTS = 8;

/** How a run ended. */
export interface Outcome {
  runId: string;
  end: TerminalEvent;
  verdict: Verdict | undefined;
}

export interface FollowOptions {
  topologyId: number;
  userMessage: string;
  /** Where the run is shown; undefined: nowhere. */
  screen: NodeJS.WriteStream | undefined;
  /** Where nothing is shown: is told what kept the agents or the run from being done, each trouble once. */
  onTrouble?: (line: string) => void;
  /** Cancels the run; it is then followed to its end all the same. */
  interrupt: AbortSignal;
}

/** Triggers a run and shows it live, until its terminal event. @throws ConsiliumError when it cannot be started, followed or cancelled */
export async function followRun(
  client: Client,
  { topologyId, userMessage, screen, onTrouble, interrupt }: FollowOptions,
): Promise<Outcome> {
  const paint = screen === undefined ? undefined : paintFor(screen, process.env);
  const render = createRenderer({
    columns: screen?.columns ?? 100,
    ...(paint === undefined ? {} : { paint }),
  });
  // A service that does not tell is no reason not to begin.
  const models =
    screen === undefined ? undefined : await drivenBy(client, topologyId).catch(() => undefined);
  if (models !== undefined) screen?.write(`${models}\n`);
  const { runId, events } = await client.trigger(
    { topologyId, userMessage },
    { attempts: MOST_ATTEMPTS },
  );

  const told = new Set<string>();
  let refused: Error | undefined;
  const cancel = (): void => {
    client.cancel(runId).catch((error: unknown) => {
      // It had ended before: its terminal event is on its way.
      if (error instanceof ConsiliumError && error.code === 'CANCEL_FAILED') return;
      refused = error as Error;
      void events.return(undefined);
    });
  };
  if (interrupt.aborted) cancel();
  interrupt.addEventListener('abort', cancel);
  try {
    for await (const event of events) {
      for (const line of render(event)) screen?.write(`${line}\n`);
      const trouble = troubleOf(event);
      if (trouble !== undefined && !told.has(trouble)) onTrouble?.(trouble);
      told.add(trouble ?? '');
      if (isTerminal(event.name))
        return {
          runId,
          end: event.name,
          verdict: (event.data as { report?: { verdict: Verdict } | null }).report?.verdict,
        };
    }
  } finally {
    interrupt.removeEventListener('abort', cancel);
  }
  throw (
    refused ??
    new ConsiliumError(
      'UNAVAILABLE',
      `The event stream of run ${runId} ended without saying how the run did.`,
    )
  );
}

/** What a model's provider refused for good, too many errors, a run that failed; that a node does not answer is a finding. */
function troubleOf({ name, data }: NamedEvent): string | undefined {
  if (name === 'lifecycle.failed') return `✗ ${data.code}: ${oneLine(data.error)}`;
  if (name === 'system.error' && !('node' in data))
    return `✗ ${data.code}: ${oneLine(data.message)}`;
  return undefined;
}
