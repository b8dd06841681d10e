import { expect } from '@jest/globals';
import { agUiEvents, uiMessage } from './protocol-readers.js';

/** How a run ended; `stopped`: a chat that completed because it reached a limit. */
export type Ending = 'completed' | 'stopped' | 'cancelled' | 'failed';

/**
 * Expects a stream in format `ag-ui` to be valid, to close all that it opens, and to end as the run
 * did.
 */
async function expectAgUi(text: string, ending: Ending): Promise<void> {
  const events = await agUiEvents(text);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  for (const kind of ['TEXT_MESSAGE', 'REASONING_MESSAGE', 'TOOL_CALL'])
    expect(count(`${kind}_START`)).toBe(count(`${kind}_END`));
  expect(count('SUBAGENT_STARTED')).toBe(count('SUBAGENT_FINISHED') + count('SUBAGENT_ERROR'));
  expect(events[0]?.type).toBe('RUN_STARTED');
  const last = {
    completed: { type: 'RUN_FINISHED', outcome: { type: 'success' } },
    stopped: { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
    cancelled: { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
    failed: { type: 'RUN_ERROR', code: expect.any(String) },
  };
  expect(events.at(-1)).toMatchObject(last[ending]);
}

/** The same for a stream in format `ai-sdk`. */
async function expectAiSdk(text: string, ending: Ending): Promise<void> {
  expect(text).toMatch(/\ndata: \[DONE\]\n\n$/);
  const { message, chunks, errors } = await uiMessage(text);
  expect(errors).toHaveLength(ending === 'failed' ? 1 : 0);
  const last = {
    completed: { type: 'finish', finishReason: expect.stringMatching(/^(stop|length)$/) },
    stopped: { type: 'finish', finishReason: 'length' },
    cancelled: { type: 'abort' },
    failed: { type: 'finish', finishReason: 'error' },
  };
  expect(chunks.at(-1)).toMatchObject(last[ending]);
  // No block, no call and no agent is left open. A notice may name the status of a run, which goes
  // on.
  const going = (message?.parts ?? []).filter(
    (part) =>
      part.type !== 'data-notice' &&
      /"(state|status)":"(streaming|input-available|running)"/.test(JSON.stringify(part)),
  );
  expect(going).toEqual([]);
}

/** The formats whose protocols have their own readers. */
export const expectProtocol = { 'ag-ui': expectAgUi, 'ai-sdk': expectAiSdk } as const;
