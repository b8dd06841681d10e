import { describe, expect, it } from '@jest/globals';
import {
  PROTOCOLS,
  type Frames,
  type Protocol,
} from '../../../test/support/models/provider-frames.js';
import { answer, begin, inTurn, type Reply } from '../../../test/support/models/provider-server.js';
import {
  never,
  request,
  textOf,
  testProvider,
  turn,
} from '../../../test/support/models/provider-turn.js';
import { boundsOf, MOST_ARGUMENTS, MOST_CALLS } from '../calls/answer-bounds.js';

const provider = testProvider();
const MAX_TOKENS = 500;
const short = { ...request, maxOutputTokens: MAX_TOKENS };
const { tokens, bytes, lineBytes } = boundsOf(MAX_TOKENS);
/** Bytes that the two sockets and the streams between them may hold besides what was read. */
const IN_FLIGHT = 16 * 2 ** 20;

/** Writes a text again and again until the client leaves. */
function endless(text: (frames: Frames) => string) {
  let sent = 0;
  const reply: Reply = async ({ response, frames, closed }) => {
    while (!response.destroyed) {
      const chunk = text(frames);
      sent += chunk.length;
      if (!response.write(chunk))
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
    }
  };
  return { reply, sent: () => sent };
}

/** The second part of the arguments of a call, and all that follow. */
const ARGUMENTS: Record<Protocol, object> = {
  chat: { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: {} }] } }] },
  anthropic: { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta' } },
  responses: { type: 'response.function_call_arguments.delta', item_id: 'item_0', output_index: 0 },
};
const moreArguments = (protocol: Protocol, text: string): string =>
  `data: ${JSON.stringify(ARGUMENTS[protocol])
    .replace('"function":{}', `"function":{"arguments":"${text}"}`)
    .replace('"input_json_delta"', `"input_json_delta","partial_json":"${text}"`)
    .replace('"output_index":0', `"output_index":0,"delta":"${text}"`)}\n\n`;
/** A call whose arguments have begun. */
const openCall =
  (protocol: Protocol): Reply =>
  ({ response, frames }) => {
    const end = {
      chat: /$/,
      anthropic: /event: content_block_stop[^]*$/,
      responses: /event: response.function_call_arguments.done[^]*$/,
    };
    const call = frames.say({ call: 'http_probe', args: '{"node":"x' });
    response.write(call.replace(end[protocol], ''));
  };

describe.each(PROTOCOLS)('%s: an answer without an end', (protocol) => {
  it.each(['text', 'reasoning'] as const)('of %s is cut at its bound', async (kind) => {
    const piece =
      kind === 'text' ? { text: 'blah '.repeat(100) } : { reasoning: 'hm '.repeat(100) };
    const { reply, sent } = endless((frames) => frames.say(piece));
    provider.server.script(inTurn(begin(), reply));
    const { parts, error } = await turn(provider.model(protocol), never, short);
    expect(error).toBeUndefined();
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    const read = parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
    expect(read).toBeGreaterThan(4 * MAX_TOKENS);
    expect(read).toBeLessThan(4 * tokens + 1_000);
    expect(parts.at(-1)).toMatchObject({ usage: { output: Math.ceil(read / 4), estimated: true } });
    await provider.server.exchanges[0]?.closed;
    expect(sent()).toBeLessThan(IN_FLIGHT);
  });

  it.each([
    ['bounded by max_tokens', short, 4 * tokens],
    ['bounded by what is worked on', request, MOST_ARGUMENTS],
  ])('of arguments is cut: %s', async (_, asked, most) => {
    const { reply, sent } = endless(() => moreArguments(protocol, 'x'.repeat(1_000)));
    provider.server.script(inTurn(begin(), openCall(protocol), reply));
    const { parts, error } = await turn(provider.model(protocol), never, asked);
    expect(error).toBeUndefined();
    const output = (parts.at(-1) as { usage: { output: number } }).usage.output;
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(4 * output).toBeGreaterThan(most);
    expect(4 * output).toBeLessThan(most + 2_000);
    // The agent answers the call whose arguments are too long; one that was cut before is none.
    expect(parts.slice(0, -1).map((part) => part.type)).toEqual(
      asked === short ? [] : ['tool-call'],
    );
    await provider.server.exchanges[0]?.closed;
    expect(sent()).toBeLessThan(IN_FLIGHT);
  });

  it.each([
    ['of one line', 'x'.repeat(65_536), lineBytes, `a line of more than ${lineBytes} bytes`],
    ['of comments', `: ${'x'.repeat(65_533)}\n`, bytes, `more than ${bytes} bytes`],
  ])('%s is an error that names the bound', async (_, chunk, most, words) => {
    const { reply, sent } = endless(() => chunk);
    provider.server.script(inTurn(begin(), reply));
    const { error } = await turn(provider.model(protocol), never, short);
    expect(error).toMatchObject({ code: 'AI_ERROR', retryable: false });
    expect((error as Error).message).toMatch(new RegExp(`^The answer of ".*" has ${words}\\.$`));
    await provider.server.exchanges[0]?.closed;
    expect(sent()).toBeLessThan(most + IN_FLIGHT);
  });

  it('of calls in text is cut after those that are worked on', async () => {
    const call = '<tool_call>{"name":"http_probe","arguments":{"node":"shop"}}</tool_call>\n';
    provider.server.script(answer({ text: call.repeat(1_000) }, { end: 'stop' }));
    const { parts } = await turn(provider.model(protocol), never, request);
    expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(MOST_CALLS + 1);
  });

  it('of one piece of text is cut within it', async () => {
    provider.server.script(answer({ text: '診断'.repeat(50_000) }));
    const { parts } = await turn(provider.model(protocol), never, short);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(textOf(parts).length).toBeLessThan(4 * tokens + 10_000);
  });

  it('of calls is cut after those that are worked on', async () => {
    const calls = Array.from({ length: 2_000 }, () => ({ call: 'http_probe', args: '{}' }));
    provider.server.script(answer(...calls));
    const { parts } = await turn(provider.model(protocol), never, request);
    expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(MOST_CALLS + 1);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });
});

describe.each(PROTOCOLS)('%s: a long answer', (protocol) => {
  const many = Array.from({ length: 8_000 });

  it.each([
    ['multi-byte text', many.map(() => ({ text: '診断' }))],
    ['reasoning before text', [...many.map(() => ({ reasoning: ' hm, so' })), { text: 'Fine.' }]],
    ['words without a space', many.map(() => ({ text: 'service' }))],
  ])('is whole: %s in a frame for each token', async (_, says) => {
    provider.server.script(answer(...says, { end: 'stop', usage: [10, 8_000] }));
    const asked = { ...request, maxOutputTokens: 8_000 };
    const { parts, error } = await turn(provider.model(protocol), never, asked);
    expect(error).toBeUndefined();
    expect(parts.at(-1)).toMatchObject({ reason: 'stop', usage: { output: 8_000 } });
    const texts = says.flatMap((say) => ('text' in say ? [say.text] : []));
    expect(textOf(parts)).toBe(texts.join(''));
  });

  it('loses its control characters, and keeps its lines', async () => {
    const text = 'a\u001b[31mb\u0000c\u202ed\u2066e\r\n\tf\u200d診';
    provider.server.script(answer({ reasoning: text }, { text }));
    const { parts } = await turn(provider.model(protocol));
    const said = parts.flatMap((part) => ('text' in part ? [part.text] : []));
    expect(said.join('|')).toBe('a[31mbcde\n\tf\u200d診|a[31mbcde\n\tf\u200d診');
  });
});
