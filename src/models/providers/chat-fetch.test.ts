import { describe, expect, it } from '@jest/globals';
import { processorMsOf } from '../../../test/support/processes/processor-time.js';
import { raw, end, inTurn } from '../../../test/support/models/provider-server.js';
import { KEY, testProvider, turn } from '../../../test/support/models/provider-turn.js';
import type { ModelEntry } from '../models.js';
import { nameCalls } from './chat-fetch.js';
import { makeModel } from './make-model.js';

const provider = testProvider();

/** Tool calls of an answer that streams these parts of them, each in a chunk of its own. */
async function callsOf(entry: ModelEntry, parts: object[], ending = 'data: [DONE]\n\n') {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\r\n\r\n`;
  const text = [
    ...parts.map((part) => chunk({ tool_calls: [part] })),
    chunk({}, 'tool_calls'),
    ending,
  ].join('');
  provider.server.script(inTurn(...(text.match(/[^]{1,50}/g) ?? []).map(raw), end));
  const answer = await turn(entry);
  expect(answer.error).toBeUndefined();
  return answer.parts.flatMap((part) =>
    part.type === 'tool-call' ? [[part.tool, part.input]] : [],
  );
}

const part = (
  index: number | undefined,
  name: string | null | undefined,
  args: string,
  id?: string,
) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: 'function',
  function: { ...(name !== undefined && { name }), arguments: args },
});

/** The packages with the chat completions API. */
const NAMES = ['openai', 'openai-compatible'];

describe.each(NAMES)('the chat completions of %s', (name) => {
  const entry = (): ModelEntry => {
    const { url: baseUrl } = provider.server;
    const settings = { name, provider: name, model: 'm', api: 'chat' as const, fallback: [] };
    return { ...provider.model('chat'), model: makeModel({ ...settings, baseUrl }, KEY) };
  };

  it('have a call without a name', async () => {
    expect(
      await callsOf(entry(), [part(0, '', '{"no', 'a'), part(0, undefined, 'de":1}')]),
    ).toEqual([['', '{"node":1}']]);
    expect(await callsOf(entry(), [part(0, null, '{}')])).toEqual([['', '{}']]);
  });

  it('have it beside others, also without the usual end', async () => {
    const parts = [
      part(0, ' ', '{"a":1}', 'a'),
      part(1, 'http_probe', '{"b":', 'b'),
      part(1, '', '2}'),
    ];
    const calls = [
      ['', '{"a":1}'],
      ['http_probe', '{"b":2}'],
    ];
    for (const ending of ['data: [DONE]\n\n', 'data: [DONE]', ''])
      expect((await callsOf(entry(), parts, ending)).sort()).toEqual(calls);
  });

  it('have a call whose name comes late', async () => {
    const parts = [
      part(0, '', '{"a"', 'a'),
      part(0, null, ':'),
      part(0, 'http_probe', '1'),
      part(0, '', '}'),
    ];
    expect(await callsOf(entry(), parts)).toEqual([['http_probe', '{"a":1}']]);
  });
});

it('takes calls of a server that sends no index', async () => {
  const parts = [
    part(undefined, '', '{"a":1}', 'a'),
    part(undefined, 'http_probe', '{"b":2}', 'b'),
  ];
  expect(await callsOf(provider.model('chat'), parts)).toEqual([
    ['http_probe', '{"b":2}'],
    ['', '{"a":1}'],
  ]);
});

it('a long line takes little of the time of this process', async () => {
  const line = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x診'.repeat(2 ** 20) } }] })}\n\n`;
  let text = '';
  const ms = await processorMsOf(async () => {
    text = await new Response(new Blob([line]).stream().pipeThrough(nameCalls())).text();
  });
  expect(text).toBe(line);
  expect(ms).toBeLessThan(150);
});
