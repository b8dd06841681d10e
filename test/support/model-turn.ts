import { setTimeout as sleep } from 'node:timers/promises';
import { NO_TRIES, type Tries } from '../../src/domain/provider/attempts.js';
import type { ModelCalls } from '../../src/models/calls/model-calls.js';
import { ModelError } from '../../src/models/calls/model-error.js';
import type { ModelEntry } from '../../src/models/models.js';
import { request } from './models/model-entry.js';

/** Runs a turn as an agent does, but sleeps where an agent parks. */
export async function turn(
  of: ModelCalls,
  chain: ModelEntry[],
  {
    id = 'a',
    priority = 0,
    signal = new AbortController().signal,
    ms = 300_000,
  }: { id?: string; priority?: number; signal?: AbortSignal; ms?: number } = {},
) {
  const deadline = Date.now() + ms;
  const waits: number[] = [];
  let tries: Tries = NO_TRIES;
  for (;;) {
    const begun = await of.begin(chain, tries, { id, priority, deadline, signal });
    if (begun.kind === 'wait') {
      await sleep(begun.ms, undefined, { signal });
      continue;
    }
    const model = begun.kind === 'go' ? begun.attempt.entry : begun.entry;
    let error: unknown;
    try {
      if (begun.kind === 'refused') throw begun.error;
      let text = '';
      for await (const part of begun.attempt.stream(request(id), signal))
        if (part.type === 'text') text += part.text;
      return { text, model: model.name, waits };
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof ModelError)) throw error;
    const next = of.after(chain, tries, { entry: model, error }, deadline);
    if (next.kind === 'over') throw error;
    tries = next.tries;
    waits.push(next.afterMs);
    await sleep(next.afterMs, undefined, { signal });
  }
}
