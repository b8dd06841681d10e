import { describe, expect, it } from '@jest/globals';
import { PROTOCOLS } from '../../../test/support/models/provider-frames.js';
import { answer, begin, type Exchange } from '../../../test/support/models/provider-server.js';
import {
  KEY,
  never,
  request,
  textOf,
  tool,
  turn,
  testProvider,
} from '../../../test/support/models/provider-turn.js';
import { writeBrief } from '../../domain/prompt/brief.js';
import { streamTurn } from '../calls/stream-turn.js';
import type { TurnRequest } from '../calls/turn-part.js';
import type { ModelEntry } from '../models.js';

const provider = testProvider();
const { model } = provider;

describe.each(PROTOCOLS)('%s', (protocol) => {
  const isOpenAI = protocol !== 'anthropic';

  describe('a healthy provider', () => {
    it('streams text and reasoning, and ends with usage', async () => {
      provider.server.script(
        answer({ reasoning: 'Let me think.' }, { text: 'All is ' }, { text: 'well.' }),
      );
      const { parts, error } = await turn(model(protocol));
      expect(error).toBeUndefined();
      expect(textOf(parts)).toBe('All is well.');
      expect(parts).toContainEqual({ type: 'reasoning', text: 'Let me think.' });
      const usage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 0, estimated: false };
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop', usage });
    });

    it('gets the key, the model and the tools', async () => {
      await turn(model(protocol));
      const { headers, body } = provider.server.exchanges[0] as Exchange;
      expect(isOpenAI ? headers['authorization'] : headers['x-api-key']).toBe(
        isOpenAI ? `Bearer ${KEY}` : KEY,
      );
      expect(body).toMatchObject({ model: 'some-model', stream: true });
      expect(JSON.stringify(body['tools'])).toContain('http_probe');
    });

    it('gets the tool that the model must call, in the form of its API', async () => {
      await turn(model(protocol), never, { ...request, toolChoice: 'http_probe' });
      const forms = {
        anthropic: { type: 'tool', name: 'http_probe' },
        responses: { type: 'function', name: 'http_probe' },
        chat: { type: 'function', function: { name: 'http_probe' } },
      };
      const [exchange] = provider.server.exchanges;
      expect(exchange?.body['tool_choice']).toMatchObject(forms[protocol]);
    });

    it('calls several tools, with their arguments as written', async () => {
      provider.server.script(
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

    it.each(['', ' ', '\n'])('may call a tool without a name: %j', async (name) => {
      provider.server.script(
        answer(
          { call: name, args: '{"node":"shop"}' },
          { call: 'http_probe', args: '{"node":"cache"}' },
          { call: name, args: '' },
        ),
      );
      const { parts, error } = await turn(model(protocol));
      expect(error).toBeUndefined();
      expect(
        parts.flatMap((part) =>
          part.type === 'tool-call' ? [[part.tool.trim(), part.input]] : [],
        ),
      ).toEqual([
        ['', '{"node":"shop"}'],
        ['http_probe', '{"node":"cache"}'],
        ['', protocol === 'anthropic' ? '{}' : ''],
      ]);
    });

    it('may stop at its limit', async () => {
      provider.server.script(answer({ text: 'All' }, { end: 'length' }));
      expect((await turn(model(protocol))).parts.at(-1)).toMatchObject({
        type: 'finish',
        reason: 'length',
      });
    });

    it('may write tool calls as text, which is not shown', async () => {
      const call =
        '<tool_call>\n{"name": "http_probe", "arguments": {"node": "shop"}}\n</tool_call>';
      provider.server.script(
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
      provider.server.script(
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
      provider.server.script(answer({ text: written }, { end: 'stop' }));
      const { parts } = await turn(entry, never, after(page));
      return { text: textOf(parts), calls: parts.filter((part) => part.type === 'tool-call') };
    };

    it('are text if they quote what a tool has read', async () => {
      const { text, calls } = await asked(model(protocol), `<p>${call}</p>`, `It says ${call}`);
      expect({ text, calls }).toEqual({ text: `It says ${call}`, calls: [] });
    });

    const user = (text: string) => ({
      role: 'user' as const,
      content: [{ type: 'text' as const, text }],
    });
    const place = (name: string) => ({
      role: 'system' as const,
      content: writeBrief(
        {
          role: 'worker',
          node: { id: 'shop', name, kind: 'service', dependsOn: [], attributes: {} },
          firstLook: [{ tool: 'http_probe', args: { node: 'shop' } }],
        },
        undefined,
      ),
    });
    it.each<[string, TurnRequest['prompt'], number]>([
      ['are text if they quote a message', [place('Shop'), user(`He wrote ${call}`)], 0],
      ['are text if they quote the topology', [place(`Shop ${call}`), user('Look.')], 0],
      ['are calls if neither has them', [place('Shop'), user('Look.')], 1],
    ])('%s', async (_, prompt, made) => {
      provider.server.script(answer({ text: call }, { end: 'stop' }));
      const { parts } = await turn(model(protocol), never, { prompt, tools: [tool] });
      expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(made);
      expect(textOf(parts)).toBe(made === 0 ? call : '');
    });

    it('are calls if the page says something else', async () => {
      const { text, calls } = await asked(model(protocol), '<p>shop</p>', `I look. ${call}`);
      expect(text).toBe('I look. ');
      expect(calls).toHaveLength(1);
    });

    it('are text from a model that has made a native call', async () => {
      const entry = model(protocol);
      provider.server.script(answer({ call: 'http_probe', args: '{"node":"cache"}' }));
      await turn(entry);
      expect(await asked(entry, 'hello', call)).toEqual({ text: call, calls: [] });
      const insists = { ...entry, textToolCalls: true };
      expect((await asked(insists, 'hello', call)).calls).toHaveLength(1);
    });

    it('are text if the same answer has a native call', async () => {
      const entry = { ...model(protocol), textToolCalls: true };
      provider.server.script(
        answer({ text: call }, { call: 'http_probe', args: '{"node":"cache"}' }),
      );
      const { parts } = await turn(entry);
      expect(parts.filter((part) => part.type === 'tool-call')).toMatchObject([
        { input: '{"node":"cache"}' },
      ]);
      expect(textOf(parts)).toBe(call);
    });
  });

  it('closes its socket if the caller leaves the iteration', async () => {
    provider.server.script(begin({ text: 'All is' }));
    for await (const part of streamTurn(model(protocol), request, never))
      if (part.type === 'text') break;
    await provider.server.exchanges[0]?.closed;
  });

  it('is not called after a cancel', async () => {
    expect((await turn(model(protocol), AbortSignal.abort(new Error('over')))).error).toMatchObject(
      { message: 'over' },
    );
    expect(provider.server.exchanges).toHaveLength(0);
  });

  it('keeps its connection for the next turn', async () => {
    const entry = model(protocol);
    await turn(entry);
    await turn(entry);
    expect(provider.server.exchanges.map(({ closedAt }) => closedAt())).toEqual([
      undefined,
      undefined,
    ]);
  });
});

it('estimates the tokens of a provider that reports none', async () => {
  provider.server.script(answer({ text: 'x'.repeat(400) }, { end: 'stop', usage: null }));
  const finish = (await turn(model('chat'))).parts.at(-1);
  expect(finish).toMatchObject({ type: 'finish', usage: { output: 100, estimated: true } });
});
