import { describe, expect, it } from '@jest/globals';
import { sessionOf, turnOf } from '../../../../test/support/models/agent-session.js';
import { readResult } from './read-result.js';

const output = { evidence: 'first', text: 'x'.repeat(30_000) };
const messages = turnOf({ tool: 'look', output });
const id = messages.at(-1)?.role === 'result' ? (messages.at(-1) as { id: string }).id : '';
const { session } = sessionOf({ messages });
const read = (args: object) => readResult(session, args as never);

describe('a result that is read again', () => {
  it('is shown in parts, with the id to cite, until its end', () => {
    const text = JSON.stringify(output);
    let shown = '';
    for (let from: unknown = 0; from !== null;) {
      const part = read({ id, from });
      if (!('measurements' in part)) throw new Error('no part');
      expect(part.measurements['result_of']).toBe('first');
      shown += part.measurements['part'] as string;
      from = part.measurements['next'];
    }
    expect(shown).toBe(text);
  });

  it('must be one of the agent', () => {
    expect(read({ id: 'other' })).toEqual({ error: 'You have no result "other".' });
  });

  it.each([{}, { id: '' }, { id, from: -1 }, { id, from: 'x' }])(
    'needs right arguments: %j',
    (args) => {
      expect(read(args)).toEqual({ error: expect.any(String) });
    },
  );
});
