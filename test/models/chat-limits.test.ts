import { describe, expect, it } from '@jest/globals';
import { ask } from '../support/chat.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer, begin, inTurn, silence } from '../support/models/provider-server.js';
import { kept, limit, turn } from '../support/streams/talk.js';

const scene = modelScene(answer({ text: 'All is well.' }));
const service = (env: Record<string, string> = {}) => scene.service({ ...scene.hosted(), ...env });

describe('a limit', () => {
  const cut = (why: string) => `\n\n(This answer is incomplete: ${why}.)`;

  it('of time cuts the model off; the text is stored and becomes the summary', async () => {
    const api = await service();
    await limit(api, { timeout_seconds: 10 });
    scene.server.script(inTurn(begin({ text: 'So far, all is' }), silence));
    const { text, log, kept } = await turn(api);
    await scene.server.exchanges[0]?.closed;
    expect(log.find(({ data }) => data['code'] === 'LIMIT_REACHED')?.data).toMatchObject({
      limit_type: 'timeout',
    });
    const said = `So far, all is${cut('its time limit of 10 s was reached')}`;
    const end = { summary: said, partial: true, reasons: ['LIMIT_REACHED'] };
    expect(log.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: end });
    expect(text).toContain('"type":"stream_end"');
    expect(kept).toEqual([[said, true]]);
  });

  it('of turns ends the answer with the text of all turns', async () => {
    const api = await service();
    await limit(api, { max_iterations: 2 });
    const look = (text: string, args: object) =>
      answer({ text }, { call: 'list_runs', args: JSON.stringify(args) });
    scene.server.script(look('First.', {}), look('Second.', { limit: 2 }));
    const { events } = await ask(`${api.url}/api/oracle/stream`, {
      question: 'Is it well?',
      context_id: 'talk',
    });
    const system = events
      .filter(({ data }) => data['type'] === 'system')
      .map(({ data }) => data['system_type']);
    expect(system).toEqual(['limit_warning', 'limit_reached']);
    expect(events.at(-1)?.data).toMatchObject({ type: 'done' });
    expect(scene.server.exchanges).toHaveLength(2);
    expect(await kept(api)).toEqual([
      [`First.\n\nSecond.${cut('its limit of 2 turns was reached')}`, true],
    ]);
  });

  it('of tokens is `max_tokens` of the question', async () => {
    const api = await service();
    scene.server.script(
      answer(
        { text: 'First.' },
        { call: 'list_runs', args: '{}' },
        { end: 'tool-calls', usage: [30_000, 100] },
      ),
    );
    const question = { question: 'Is it well?', context_id: 'talk', max_tokens: 20_000 };
    const { events } = await ask(`${api.url}/api/oracle/stream`, question);
    const reached = events.find(({ data }) => data['system_type'] === 'limit_reached');
    expect(reached?.data['metadata']).toMatchObject({ limit_type: 'token', limit_value: 20_000 });
    expect(events.at(-1)?.data).toMatchObject({ type: 'done', tokens_used: 30_100 });
    expect(await kept(api)).toEqual([
      [`First.${cut('its budget of 20,000 tokens was used up')}`, true],
    ]);
  });
});
