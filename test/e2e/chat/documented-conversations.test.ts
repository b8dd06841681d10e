import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { ask } from '../../support/chat.js';
import { refuse } from '../../support/models/provider-server.js';
import { busy, call, documentedScene, last, text } from '../../support/documented-scene.js';

/*
 * The event sequences that the clients of each endpoint expect (contract section 7), over HTTP and
 * with a scripted model.
 */
const scene = documentedScene();
const { plays } = scene;
let api: Api;
let topology_id: number;
beforeEach(() => void ({ api, topology_id } = scene));

describe('POST /api/v1/conversations/{id}/stream', () => {
  const url = () => `${api.url}/api/v1/conversations/talk`;
  const say = async () => ask(`${url()}/stream`, { content: 'What is it?', topology_id });

  test.each([
    [
      'busy',
      busy(429),
      'rate_limited',
      /^The AI service is temporarily busy\. Please try again after [-\d]{10} [:\d]{8} UTC\.$/,
      true,
    ],
    [
      'overloaded',
      busy(529),
      'overloaded',
      /^The AI service is currently overloaded\. Please try again after [-\d]{10} [:\d]{8} UTC\.$/,
      true,
    ],
    [
      'in trouble',
      refuse(400),
      'ai_error',
      /^An error occurred while generating the response\.$/,
      false,
    ],
  ])(
    'after three calls that went well, the provider is %s',
    async (_, reply, code, message, retryable) => {
      plays(...['a', 'b', 'c'].map((word) => [call('search_code', { query: word })]), reply);
      const { text: stream, events } = await say();
      expect(events.map(({ data }) => data['type'])).toEqual([
        'stream_start',
        ...[1, 2, 3].flatMap(() => ['tool_call', 'tool_result']),
        'error',
      ]);
      expect(last(events)).toEqual({
        type: 'error',
        error: { message: expect.stringMatching(message), code, retryable },
      });
      expect(stream).toMatch(/\n\nid: \d+\ndata: \[DONE\]\n\n$/);
      // What a client does then: it reads what is there.
      const { data } = (await (await fetch(url())).json()) as { data: { messages: object[] } };
      expect(data.messages).toMatchObject([{ role: 'user' }]);
    },
  );

  test('all is well', async () => {
    plays([text('It is '), text('well.')]);
    const { text: stream, events } = await say();
    const types = events.map(({ data }) => data['type']);
    expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
      'stream_start',
      'text_start',
      'text_delta',
      'text_end',
      'stream_end',
    ]);
    expect(stream).toMatch(/data: \[DONE\]\n\n$/);
  });
});
