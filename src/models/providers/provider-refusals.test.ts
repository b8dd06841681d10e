import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { PROTOCOLS } from '../../../test/support/models/provider-frames.js';
import {
  inTurn,
  raw,
  refuse,
  reset,
  silence,
} from '../../../test/support/models/provider-server.js';
import { KEY, turn, testProvider } from '../../../test/support/models/provider-turn.js';

const provider = testProvider();
const { model, failure } = provider;

describe.each(PROTOCOLS)('%s', (protocol) => {
  const isOpenAI = protocol !== 'anthropic';
  const key = isOpenAI ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY';
  const address = isOpenAI ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL';

  it('reads an error of 400 kB without blocking', async () => {
    const before = processorMs();
    const message = `${'a-'.repeat(200_000)}x`;
    const error = await failure(protocol, refuse(400, { type: 'invalid_request_error', message }));
    expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
    expect(error.message.length).toBeLessThan(400);
    expect(processorMs() - before).toBeLessThan(2_000);
  });

  describe('a failure before the answer', () => {
    it.each([
      ['seconds', { 'retry-after': '7' }, 7_000],
      ['nothing', {}, undefined],
      [
        'a date',
        { 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT', date: 'Thu, 01 Jan 2026 12:00:00 GMT' },
        9_000,
      ],
    ])('429 with Retry-After as %s', async (_, headers, retryAfterMs) => {
      const error = await failure(
        protocol,
        refuse(429, { type: 'rate_limit_error', headers: headers }),
      );
      expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true, afterText: false });
      expect(error.retryAfterMs).toBe(retryAfterMs);
    });

    it('429 for lack of credit is not retried', async () => {
      const error = await failure(
        protocol,
        refuse(429, { type: 'insufficient_quota', message: 'You exceeded your current quota' }),
      );
      expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: false });
      expect(error.message).toContain(key);
    });

    it.each([503, 529])('%i, with Retry-After', async (status) => {
      const error = await failure(
        protocol,
        refuse(status, { type: 'overloaded_error', headers: { 'retry-after': '2' } }),
      );
      expect(error).toMatchObject({ code: 'OVERLOADED', retryable: true, retryAfterMs: 2_000 });
    });

    it.each([500, 502, 504, 408])('%i', async (status) => {
      expect(await failure(protocol, refuse(status))).toMatchObject({
        code: 'AI_ERROR',
        retryable: true,
        afterText: false,
      });
    });

    it.each([401, 403])('%i names the key, and is not retried', async (status) => {
      const error = await failure(
        protocol,
        refuse(status, { message: `Incorrect API key provided: ${KEY}` }),
      );
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
      expect(error.message).toContain(key);
    });

    it('404 names the model and its setting, and is not retried', async () => {
      const error = await failure(protocol, refuse(404, { type: 'not_found_error' }));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
      expect(error.message).toMatch(/"some-model" \(404\): check MODEL and/);
      expect(error.message).toContain(address);
    });

    it('400 repeats the message of the provider without keys and ids, and is not retried', async () => {
      const message = `tools.0: wrong schema in request req_0123456789abcdef of ${KEY}`;
      const error = await failure(
        protocol,
        refuse(400, { type: 'invalid_request_error', message }),
      );
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
      expect(error.message).toMatch(/\(400\): tools\.0: wrong schema in request … of …$/);
    });

    it('400 and 413 for a conversation that is too long', async () => {
      const error = await failure(
        protocol,
        refuse(400, { message: 'prompt is too long: 250000 tokens > 200000 maximum' }),
      );
      expect(error.message).toMatch(/too long/);
      expect((await failure(protocol, refuse(413))).retryable).toBe(false);
    });

    it('a redirect is not followed, because the key would be sent along', async () => {
      const error = await failure(
        protocol,
        refuse(307, { headers: { location: `${provider.server.url}/elsewhere` } }),
      );
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
      expect(error.message).toContain(address);
      expect(provider.server.exchanges).toHaveLength(1);
    });

    it.each(['text/html; charset=utf-8', 'application/json'])(
      'a %s in place of a stream',
      async (type) => {
        const error = await failure(
          protocol,
          ({ response }) =>
            void response.writeHead(200, { 'content-type': type }).end('<html></html>'),
        );
        expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
        expect(error.message).toContain(address);
      },
    );

    it('a connection that is refused', async () => {
      await provider.server.close();
      const { error } = await turn(model(protocol));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: false });
      expect((error as Error).message).toMatch(new RegExp(`ECONNREFUSED.*${address}`));
      await provider.start();
    });

    it('a connection that is reset', async () => {
      expect(await failure(protocol, reset)).toMatchObject({
        code: 'AI_ERROR',
        retryable: true,
        afterText: false,
      });
    });

    it('a connection that is reset after the headers', async () => {
      const error = await failure(protocol, inTurn(raw(': hello\n\n'), reset));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: false });
    });

    it('a response that never starts', async () => {
      const error = await failure(protocol, silence, { startMs: 150 });
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: false });
      expect(error.message).toMatch(/did not begin to answer within 0.15 s/);
      await provider.server.exchanges[0]?.closed;
    });
  });
});
