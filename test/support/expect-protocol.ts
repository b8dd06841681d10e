import { expect } from '@jest/globals';
import { agUiEvents, uiMessage } from './protocol-readers.js';

/** How a run has ended; `stopped`: a chat that has completed because a limit was reached. */
export type Ending = 'completed' | 'stopped' | 'cancelled' | 'failed';

/** A stream in format `ag-ui` of a whole run: accepted by the protocol, closed what it has opened, ended as the run did. */
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

/** The same of a stream in format `ai-sdk`. */
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
  // Nothing is left open: no block, no call, no agent.
  const going = (message?.parts ?? []).filter((part) =>
    /"(state|status)":"(streaming|input-available|running)"/.test(JSON.stringify(part)),
  );
  expect(going).toEqual([]);
}

/** By the readers of the two protocols that have readers of their own. */
export const expectProtocol = { 'ag-ui': expectAgUi, 'ai-sdk': expectAiSdk } as const;
