import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { processorMs } from '../support/processor-time.js';
import { until } from '../support/until.js';
import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { loadConfig } from '../../src/config/load-config.js';
import { loadModels } from '../../src/models/providers/load-models.js';
import type { TurnUsage } from '../../src/models/calls/cost.js';
import { makeModel } from '../../src/models/providers/make-model.js';
import { ModelError } from '../../src/models/calls/model-error.js';
import type { ModelEntry } from '../../src/models/models.js';
import { streamTurn } from '../../src/models/calls/stream-turn.js';
import type { TurnPart, TurnRequest } from '../../src/models/calls/turn-part.js';
import { PROTOCOLS, type Protocol } from '../support/provider-frames.js';
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
  startProviderServer,
  type Exchange,
  type ProviderServer,
  type Reply,
} from '../support/provider-server.js';

const KEY = 'sk-proj-secret0123456789abcdef';
const never = new AbortController().signal;
const tool: LanguageModelV3FunctionTool = {
  type: 'function',
  name: 'http_probe',
  description: 'Asks a node',
  inputSchema: { type: 'object', properties: { node: { type: 'string' } }, required: ['node'] },
};
const request = {
  prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Is it well?' }] }],
  tools: [tool],
};

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer();
});
afterEach(() => server.close());

/** Loads the model that MODEL, a key and an address define. */
function model(
  protocol: Protocol,
  timeouts: ModelEntry['timeouts'] = {},
  url = server.url,
): ModelEntry {
  const provider = protocol === 'anthropic' ? 'anthropic' : 'openai';
  const name = provider.toUpperCase();
  const config = loadConfig({
    MODEL: `${provider}/some-model`,
    [`${name}_API_KEY`]: KEY,
    [`${name}_BASE_URL`]: url,
  });
  const entry = loadModels(config).entries[0] as ModelEntry;
  return {
    ...entry,
    ...(protocol === 'responses' && { model: responsesModel(url) }),
    timeouts: { startMs: 5_000, silenceMs: 5_000, ...timeouts },
  };
}

/** OpenAI's responses protocol at another address needs a models file. */
function responsesModel(url: string): ModelEntry['model'] {
  return makeModel(
    {
      name: 'm',
      provider: 'openai',
      model: 'some-model',
      api: 'responses',
      baseUrl: url,
      fallback: [],
    },
    KEY,
  );
}

/** @returns `taken`: the tokens of an answer that broke off */
async function turn(
  entry: ModelEntry,
  signal = never,
  asked: typeof request | TurnRequest = request,
  onPart: (part: TurnPart) => void = () => undefined,
): Promise<{ parts: TurnPart[]; error?: unknown; taken?: TurnUsage }> {
  const parts: TurnPart[] = [];
  const taken: TurnUsage[] = [];
  try {
    for await (const part of streamTurn(entry, asked, signal, (usage) => taken.push(usage))) {
      parts.push(part);
      onPart(part);
    }
    return { parts };
  } catch (error) {
    return { parts, error, ...(taken[0] && { taken: taken[0] }) };
  }
}

async function failure(
  protocol: Protocol,
  reply: Reply,
  timeouts?: ModelEntry['timeouts'],
): Promise<ModelError & { parts: TurnPart[] }> {
  server.script(reply);
  const { parts, error } = await turn(model(protocol, timeouts));
  if (!(error instanceof ModelError))
    throw new Error(`no ModelError, but ${JSON.stringify(parts)} and ${String(error)}`);
  expect(parts.some((part) => part.type === 'finish')).toBe(false);
  const shown = JSON.stringify([error.message, error.stack, { ...error }]);
  expect(shown).not.toContain('secret');
  expect(shown).not.toContain('req_0');
  return Object.assign(error, { parts });
}

const textOf = (parts: TurnPart[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe.each(PROTOCOLS)('%s', (protocol) => {
  const isOpenAI = protocol !== 'anthropic';
  const key = isOpenAI ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY';
  const address = isOpenAI ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL';

  describe('a healthy provider', () => {
    it('streams text and reasoning, and ends with usage', async () => {
      server.script(answer({ reasoning: 'Let me think.' }, { text: 'All is ' }, { text: 'well.' }));
      const { parts, error } = await turn(model(protocol));
      expect(error).toBeUndefined();
      expect(textOf(parts)).toBe('All is well.');
      expect(parts).toContainEqual({ type: 'reasoning', text: 'Let me think.' });
      const usage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 0, estimated: false };
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop', usage });
    });

    it('gets the key, the model and the tools', async () => {
      await turn(model(protocol));
      const { headers, body } = server.exchanges[0] as Exchange;
      expect(isOpenAI ? headers['authorization'] : headers['x-api-key']).toBe(
        isOpenAI ? `Bearer ${KEY}` : KEY,
      );
      expect(body).toMatchObject({ model: 'some-model', stream: true });
      expect(JSON.stringify(body['tools'])).toContain('http_probe');
    });

    it('calls several tools, with their arguments as written', async () => {
      server.script(
        answer(
          { text: 'I look.' },
          { call: 'http_probe', args: '{"node": "shop"}' },
          { call: 'http_probe', args: '{"node":"cache"}' },
        ),
      );
      const { parts } = await turn(model(protocol));
      expect(parts.filter((part) => part.type === 'tool-call')).toEqual([
        { type: 'tool-call', tool: 'http_probe', input: '{"node": "shop"}' },
        { type: 'tool-call', tool: 'http_probe', input: '{"node":"cache"}' },
      ]);
      expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
    });

    it('may stop at its limit', async () => {
      server.script(answer({ text: 'All' }, { end: 'length' }));
      expect((await turn(model(protocol))).parts.at(-1)).toMatchObject({
        type: 'finish',
        reason: 'length',
      });
    });

    it('may write tool calls as text, which is not shown', async () => {
      const call =
        '<tool_call>\n{"name": "http_probe", "arguments": {"node": "shop"}}\n</tool_call>';
      server.script(
        answer(...['I look.\n', ...(call.match(/[^]{1,7}/g) ?? [])].map((text) => ({ text })), {
          end: 'stop',
        }),
      );
      const { parts } = await turn(model(protocol));
      expect(textOf(parts)).toBe('I look.\n');
      expect(parts.slice(-2)).toMatchObject([
        { type: 'tool-call', tool: 'http_probe', input: '{"node":"shop"}' },
        { type: 'finish', reason: 'tool-calls' },
      ]);
    });

    it('may describe a call in its thoughts and then make it, which is one call', async () => {
      const aloud = '<tool_call>{"name": "http_probe", "arguments": {"node": "shop"}}</tool_call>';
      server.script(
        answer({ reasoning: aloud }, { call: 'http_probe', args: '{ "node": "shop" }' }),
      );
      const { parts } = await turn(model(protocol));
      expect(parts.map((part) => part.type)).toEqual(['tool-call', 'finish']);
    });
  });

  describe('tool calls written as text', () => {
    const call = '<tool_call>{"name":"http_probe","arguments":{"node":"shop"}}</tool_call>';
    const after = (page: string): TurnRequest => ({
      prompt: [
        ...request.prompt,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'http_probe', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 't1',
              toolName: 'http_probe',
              output: { type: 'json', value: { status: 'ok', summary: page } },
            },
          ],
        },
      ],
      tools: [tool],
    });
    const asked = async (entry: ModelEntry, page: string, written: string) => {
      server.script(answer({ text: written }, { end: 'stop' }));
      const { parts } = await turn(entry, never, after(page));
      return { text: textOf(parts), calls: parts.filter((part) => part.type === 'tool-call') };
    };

    it('are text if they quote what a tool has read', async () => {
      const { text, calls } = await asked(model(protocol), `<p>${call}</p>`, `It says ${call}`);
      expect({ text, calls }).toEqual({ text: `It says ${call}`, calls: [] });
    });

    it('are calls if the page says something else', async () => {
      const { text, calls } = await asked(model(protocol), '<p>shop</p>', `I look. ${call}`);
      expect(text).toBe('I look. ');
      expect(calls).toHaveLength(1);
    });

    it('are text from a model that has made a native call', async () => {
      const entry = model(protocol);
      server.script(answer({ call: 'http_probe', args: '{"node":"cache"}' }));
      await turn(entry);
      expect(await asked(entry, 'hello', call)).toEqual({ text: call, calls: [] });
      const insists = { ...entry, textToolCalls: true };
      expect((await asked(insists, 'hello', call)).calls).toHaveLength(1);
    });

    it('are text if the same answer has a native call', async () => {
      const entry = { ...model(protocol), textToolCalls: true };
      server.script(answer({ text: call }, { call: 'http_probe', args: '{"node":"cache"}' }));
      const { parts } = await turn(entry);
      expect(parts.filter((part) => part.type === 'tool-call')).toMatchObject([
        { input: '{"node":"cache"}' },
      ]);
      expect(textOf(parts)).toBe(call);
    });
  });

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
        refuse(307, { headers: { location: `${server.url}/elsewhere` } }),
      );
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
      expect(error.message).toContain(address);
      expect(server.exchanges).toHaveLength(1);
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
      await server.close();
      const { error } = await turn(model(protocol));
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: false });
      expect((error as Error).message).toMatch(new RegExp(`ECONNREFUSED.*${address}`));
      server = await startProviderServer();
    });

    it('a port that no HTTP client calls', async () => {
      const { error } = await turn(model(protocol, {}, 'http://127.0.0.1:9'));
      expect(error).toMatchObject({
        code: 'AI_ERROR',
        retryable: false,
        message: expect.stringContaining(address),
      });
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
      await server.exchanges[0]?.closed;
    });
  });

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
      const { parts, error } = await (server.script(inTurn(begin({ text: 'All' }), pause(30), bad)),
      turn(model(protocol)));
      // Unknown events of OpenAI's own protocol are skipped.
      if (protocol === 'responses') expect(textOf(parts)).toBe('All');
      else expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
    });

    it('a stream that goes silent', async () => {
      const error = await failure(protocol, begin({ text: 'All is' }), { silenceMs: 150 });
      expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true, afterText: true });
      expect(error.message).toMatch(/sent nothing for 0.15 s/);
      await server.exchanges[0]?.closed;
    });

    it('a finish that announces tool calls and has none', async () => {
      const { error, parts } = await (server.script(
        answer({ text: 'I look.' }, { end: 'tool-calls' }),
      ),
      turn(model(protocol)));
      if (protocol === 'responses')
        expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
      else expect(error).toMatchObject({ code: 'AI_ERROR', retryable: true });
    });
  });

  it('is not silent while it sends comments or pings', async () => {
    const pings = Array.from({ length: 12 }, () => inTurn(pause(100), raw(': ping\n\n')));
    const rest: Reply = ({ response, frames }) =>
      void response.end(frames.say({ text: ' well.' }) + frames.say({ end: 'stop' }));
    server.script(inTurn(begin({ text: 'All is' }), ...pings, rest));
    const { parts, error } = await turn(model(protocol, { silenceMs: 1_000 }));
    expect(error).toBeUndefined();
    expect(textOf(parts)).toBe('All is well.');
  });

  it('is not silent if the reader is slow', async () => {
    server.script(answer({ text: 'All is' }, { text: ' well.' }));
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
    server.script(reply);
    const stop = new AbortController();
    const going = turn(model(protocol), stop.signal);
    await until('the call', () => server.open === 1);
    const reason = new Error('the run has ended');
    stop.abort(reason);
    expect((await going).error).toBe(reason);
    await server.exchanges[0]?.closed;
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
      server.script(reply);
      expect((await turn(model(protocol, { silenceMs: 300 }))).taken).toEqual({
        ...usage,
        output: 6,
        estimated: true,
      });
    });

    it('are reported if it is cancelled', async () => {
      server.script(text);
      const stop = new AbortController();
      // The reply ends with this text and leaves the connection open.
      const cancel = ({ type }: TurnPart) => type === 'text' && stop.abort(new Error('cancelled'));
      const { taken } = await turn(model(protocol), stop.signal, request, cancel);
      expect(taken).toEqual({ ...usage, output: 6, estimated: true });
    });

    it('include the arguments of a call', async () => {
      server.script(
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
      server.script(reply);
      const { error, taken } = await turn(model(protocol, { startMs: 300 }));
      expect(error).toBeInstanceOf(ModelError);
      expect(taken).toBeUndefined();
    });

    it('are the count of the provider before the first text', async () => {
      server.script(inTurn(begin(), end));
      const { taken } = await turn(model(protocol));
      expect(taken).toEqual(isOpenAI ? undefined : { ...usage, output: 1, estimated: false });
    });
  });

  it('closes its socket if the caller leaves the iteration', async () => {
    server.script(begin({ text: 'All is' }));
    for await (const part of streamTurn(model(protocol), request, never))
      if (part.type === 'text') break;
    await server.exchanges[0]?.closed;
  });

  it('is not called after a cancel', async () => {
    expect((await turn(model(protocol), AbortSignal.abort(new Error('over')))).error).toMatchObject(
      { message: 'over' },
    );
    expect(server.exchanges).toHaveLength(0);
  });

  it('keeps its connection for the next turn', async () => {
    const entry = model(protocol);
    await turn(entry);
    await turn(entry);
    expect(server.exchanges.map(({ closedAt }) => closedAt())).toEqual([undefined, undefined]);
  });
});

it('estimates the tokens of a provider that reports none', async () => {
  server.script(answer({ text: 'x'.repeat(400) }, { end: 'stop', usage: null }));
  const finish = (await turn(model('chat'))).parts.at(-1);
  expect(finish).toMatchObject({ type: 'finish', usage: { output: 100, estimated: true } });
});
