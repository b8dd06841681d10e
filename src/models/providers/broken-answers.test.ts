import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PROTOCOLS } from '../../../test/support/models/provider-frames.js';
import {
  answer,
  begin,
  end,
  errorEvent,
  inTurn,
  pause,
  raw,
  refuse,
  reset,
  silence,
  type Reply,
} from '../../../test/support/models/provider-server.js';
import {
  never,
  request,
  textOf,
  turn,
  testProvider,
} from '../../../test/support/models/provider-turn.js';
import { until } from '../../../test/support/until.js';
import { ModelError } from '../calls/model-error.js';
import { streamTurn } from '../calls/stream-turn.js';
import type { TurnPart } from '../calls/turn-part.js';

const provider = testProvider();
const { model, failure } = provider;

describe.each(PROTOCOLS)('%s', (protocol) => {
  const isOpenAI = protocol !== 'anthropic';

  describe('a failure within the answer', () => {
    it('a reset after the first text', async () => {
      const error = await failure(protocol, inTurn(begin({ text: 'All is' }), reset));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
      expect(textOf(error.parts)).toBe('All is');
    });

    it('a stream that ends without a finish', async () => {
      const error = await failure(protocol, inTurn(begin({ text: 'All is' }), end));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
      expect(error.message).toMatch(/broke off/);
    });

    it('a stream that ends in the middle of a tool call', async () => {
      const whole =
        protocol === 'anthropic'
          ? /event: content_block_stop[^]*$/
          : protocol === 'chat'
            ? /data: [^\n]*"finish_reason":"[^]*$/
            : /event: response.output_item.done[^]*$/;
      const cut: Reply = ({ response, frames }) => {
        const text = [{ begin: true } as const, { call: 'http_probe', args: '{"node":"shop"}' }]
          .map((say) => frames.say(say))
          .join('');
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(text.replace(whole, ''));
      };
      expect(await failure(protocol, cut)).toMatchObject({ code: 'AI_ERROR', retryable: true });
    });

    it('an empty stream', async () => {
      expect(await failure(protocol, inTurn(raw(''), end))).toMatchObject({
        code: 'AI_ERROR',
        retryable: true,
        afterText: false,
      });
    });

    it('an error event: overloaded', async () => {
      const error = await failure(
        protocol,
        inTurn(begin({ text: 'All is' }), pause(30), errorEvent('overloaded_error'), end),
      );
      expect(error).toMatchObject({ code: 'OVERLOADED', retryable: true, afterText: true });
    });

    it('an error event at the very beginning', async () => {
      const error = await failure(protocol, inTurn(errorEvent('overloaded_error'), end));
      expect(error).toMatchObject({ code: 'OVERLOADED', retryable: true, afterText: false });
    });

    it('an error event: rate limit', async () => {
      const error = await failure(
        protocol,
        inTurn(begin(), pause(30), errorEvent('rate_limit_error'), end),
      );
      expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true, afterText: false });
    });

    it('an error event: another error that contains an id', async () => {
      const error = await failure(
        protocol,
        inTurn(
          begin({ text: 'All is' }),
          pause(30),
          errorEvent('api_error', 'ask for req_0123456789abcdef'),
          end,
        ),
      );
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
    });

    it('invalid JSON before a valid end', async () => {
      const bad: Reply = ({ response, frames }) =>
        void response.end(`data: {"broken": \n\n${frames.say({ end: 'stop' })}`);
      const error = await failure(protocol, inTurn(begin({ text: 'All is' }), pause(30), bad));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
    });

    it('JSON that does not match the protocol', async () => {
      const bad: Reply = ({ response, frames }) =>
        void response.end(
          `data: {"type":"content_block_delta","choices":7,"index":"x"}\n\n${frames.say({ end: 'stop' })}`,
        );
      provider.server.script(inTurn(begin({ text: 'All' }), pause(30), bad));
      const { parts, error } = await turn(model(protocol));
      // Unknown events of OpenAI's own protocol are skipped.
      if (protocol === 'responses') expect(textOf(parts)).toBe('All');
      else expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
    });

    it('a stream that goes silent', async () => {
      const error = await failure(protocol, begin({ text: 'All is' }), { silenceMs: 150 });
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
      expect(error.message).toMatch(/sent nothing for 0.15 s/);
      await provider.server.exchanges[0]?.closed;
    });

    it('a finish that announces tool calls and has none', async () => {
      provider.server.script(answer({ text: 'I look.' }, { end: 'tool-calls' }));
      const { error, parts } = await turn(model(protocol));
      if (protocol === 'responses')
        expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
      else expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true });
    });
  });

  it('is not silent while it sends comments or pings', async () => {
    const pings = Array.from({ length: 12 }, () => inTurn(pause(100), raw(': ping\n\n')));
    const rest: Reply = ({ response, frames }) =>
      void response.end(frames.say({ text: ' well.' }) + frames.say({ end: 'stop' }));
    provider.server.script(inTurn(begin({ text: 'All is' }), ...pings, rest));
    const { parts, error } = await turn(model(protocol, { silenceMs: 1_000 }));
    expect(error).toBeUndefined();
    expect(textOf(parts)).toBe('All is well.');
  });

  it('is not silent if the reader is slow', async () => {
    provider.server.script(answer({ text: 'All is' }, { text: ' well.' }));
    const parts: TurnPart[] = [];
    for await (const part of streamTurn(model(protocol, { silenceMs: 100 }), request, never)) {
      parts.push(part);
      if (parts.length === 1) await sleep(250);
    }
    expect(textOf(parts)).toBe('All is well.');
  });

  it.each([
    ['before the headers', silence],
    ['before the first text', begin()],
    ['in the middle of the text', begin({ text: 'All is' })],
  ])('closes its socket if it is cancelled %s', async (_, reply) => {
    provider.server.script(reply);
    const stop = new AbortController();
    const going = turn(model(protocol), stop.signal);
    await until('the call', () => provider.server.open === 1);
    const reason = new Error('the run has ended');
    stop.abort(reason);
    expect((await going).error).toBe(reason);
    await provider.server.exchanges[0]?.closed;
  });

  describe('the tokens of an answer that breaks off', () => {
    const [prompt, cache] = isOpenAI
      ? [Math.ceil(JSON.stringify([request.prompt, request.tools]).length / 4), 0]
      : [10, 4];
    const usage = { input: prompt, cacheRead: cache, cacheWrite: 0 };
    const text = begin({ reasoning: 'Hm.' }, { text: 'All is well so far' });

    it.each([
      ['cut', inTurn(text, end)],
      ['reset', inTurn(text, reset)],
      ['in error', inTurn(text, pause(30), errorEvent('overloaded_error'), end)],
      ['silent', text],
    ])('are reported if it is %s', async (_, reply) => {
      provider.server.script(reply);
      expect((await turn(model(protocol, { silenceMs: 300 }))).taken).toEqual({
        ...usage,
        output: 6,
        estimated: true,
      });
    });

    it('are reported if it is cancelled', async () => {
      provider.server.script(text);
      const stop = new AbortController();
      // The reply ends with this text and leaves the connection open.
      const cancel = ({ type }: TurnPart) => type === 'text' && stop.abort(new Error('cancelled'));
      const { taken } = await turn(model(protocol), stop.signal, request, cancel);
      expect(taken).toEqual({ ...usage, output: 6, estimated: true });
    });

    it('include the arguments of a call', async () => {
      provider.server.script(
        inTurn(begin({ call: 'http_probe', args: `{"node":"${'x'.repeat(389)}"}` }), end),
      );
      expect((await turn(model(protocol))).taken).toEqual({
        ...usage,
        output: 100,
        estimated: true,
      });
    });

    it.each([
      ['it was refused', refuse(429)],
      ['it was refused in the stream', inTurn(errorEvent('overloaded_error'), end)],
      ['nothing has come', silence],
    ])('are not reported if %s', async (_, reply) => {
      provider.server.script(reply);
      const { error, taken } = await turn(model(protocol, { startMs: 300 }));
      expect(error).toBeInstanceOf(ModelError);
      expect(taken).toBeUndefined();
    });

    it('are the count of the provider before the first text', async () => {
      provider.server.script(inTurn(begin(), end));
      const { taken } = await turn(model(protocol));
      expect(taken).toEqual(isOpenAI ? undefined : { ...usage, output: 1, estimated: false });
    });
  });
});
