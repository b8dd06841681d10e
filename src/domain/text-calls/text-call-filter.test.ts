import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import type { OfferedTools } from './text-call.js';
import { TextCallFilter, type FilterPiece } from './text-call-filter.js';
import { anyText } from '../../../test/support/generators/any-text.js';

const offered: OfferedTools = new Map([
  ['http_probe', new Set(['node'])],
  ['report', new Set(['summary'])],
]);

function run(
  pieces: readonly string[],
  tools = offered,
): { text: string; calls: [string, unknown][] } {
  const filter = new TextCallFilter(tools);
  const out = [...pieces.flatMap((piece) => filter.push(piece)), ...filter.end()];
  return {
    text: out.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''),
    calls: out.flatMap((piece) =>
      piece.type === 'calls'
        ? piece.calls.map(({ tool, input }): [string, unknown] => [tool, parsed(input)])
        : [],
    ),
  };
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

const probe = ['http_probe', { node: 'shop' }];

/** Title, text of the model, text after the filter. */
const WRITTEN: [string, string, string][] = [
  [
    'Hermes and Qwen',
    'Let me see.\n<tool_call>\n{"name": "http_probe", "arguments": {"node": "shop"}}\n</tool_call>',
    'Let me see.\n',
  ],
  ['Hermes, not closed', '<tool_call>{"name": "http_probe", "arguments": {"node": "shop"}}', ''],
  [
    'Hermes, closed by prose',
    '<tool_call>{"name": "http_probe", "arguments": {"node": "shop"}} Done.',
    ' Done.',
  ],
  [
    'arguments as a text',
    '<tool_call>{"name":"http_probe","arguments":"{\\"node\\":\\"shop\\"}"}</tool_call>',
    '',
  ],
  [
    'arguments before the name',
    '<tool_call>{"arguments":{"node":"shop"},"name":"http_probe"}</tool_call>',
    '',
  ],
  ['a list', '<TOOLCALL>[{"name": "http_probe", "arguments": {"node": "shop"}}]</TOOLCALL>', ''],
  [
    'a list of wrappers',
    '<tool_calls><tool_call>{"name":"http_probe","arguments":{"node":"shop"}}</tool_call></tool_calls>',
    '',
  ],
  [
    'a wrapper with a fence',
    '<tool_call>\n```json\n{"name":"http_probe","parameters":{"node":"shop"}}\n```\n</tool_call>',
    '',
  ],
  ['a wrapper with the name', '<tool_call name="http_probe">{"node":"shop"}</tool_call>', ''],
  [
    'a last brace that is missing',
    '<tool_call>{"name":"http_probe","arguments":{"node":"shop"}</tool_call>',
    '',
  ],
  ['Llama 3.1', '<function=http_probe>{"node": "shop"}</function>', ''],
  ['Llama 3.1, not closed', 'Now: <function=http_probe>{"node": "shop"}', 'Now: '],
  ['Llama 3.2', '{"name": "http_probe", "parameters": {"node": "shop"}}', ''],
  [
    'Llama with its token',
    '<|python_tag|>{"name": "http_probe", "parameters": {"node": "shop"}}<|eom_id|>',
    '',
  ],
  [
    'Qwen3-Coder',
    '<tool_call>\n<function=http_probe>\n<parameter=node>\nshop\n</parameter>\n</function>\n</tool_call>',
    '',
  ],
  [
    'Qwen3-Coder, bare',
    '<function=http_probe>\n<parameter=node>\nshop\n</parameter>\n</function>',
    '',
  ],
  [
    'Anthropic of old',
    '<function_calls>\n<invoke name="http_probe">\n<parameter name="node">shop</parameter>\n</invoke>\n</function_calls>',
    '',
  ],
  [
    'Anthropic of old, bare',
    '<invoke name="http_probe"><parameter name="node">shop</parameter></invoke>',
    '',
  ],
  ['a tag for the tool', '<http_probe>\n<node>shop</node>\n</http_probe>', ''],
  ['a tag for the tool with JSON', '<http_probe>{"node":"shop"}</http_probe>', ''],
  [
    'a fence',
    'So:\n```json\n{"name": "http_probe", "arguments": {"node": "shop"}}\n```\nThat is all.',
    'So:\n\nThat is all.',
  ],
  ['a fence of its own', '```tool_call\n{"tool": "http_probe", "args": {"node": "shop"}}\n```', ''],
  [
    'OpenAI in a fence',
    '```\n{"type":"function","function":{"name":"http_probe","arguments":"{\\"node\\":\\"shop\\"}"}}\n```',
    '',
  ],
  [
    'OpenAI',
    '{"tool_calls":[{"id":"1","type":"function","function":{"name":"http_probe","arguments":"{\\"node\\":\\"shop\\"}"}}]}',
    '',
  ],
  ['Mistral', '[TOOL_CALLS] [{"name": "http_probe", "arguments": {"node": "shop"}}]', ''],
  ['Mistral of now', '[TOOL_CALLS]http_probe[ARGS]{"node": "shop"}', ''],
  [
    'LM Studio',
    '[TOOL_REQUEST]{"name": "http_probe", "arguments": {"node": "shop"}}[END_TOOL_REQUEST]',
    '',
  ],
  [
    'GLM',
    '<tool_call>http_probe\n<arg_key>node</arg_key>\n<arg_value>shop</arg_value>\n</tool_call>',
    '',
  ],
  [
    'DeepSeek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>http_probe\n```json\n{"node":"shop"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '',
  ],
  [
    'DeepSeek of now',
    '<｜tool▁call▁begin｜>http_probe<｜tool▁sep｜>{"node":"shop"}<｜tool▁call▁end｜>',
    '',
  ],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.http_probe:0<|tool_call_argument_begin|>{"node":"shop"}<|tool_call_end|><|tool_calls_section_end|>',
    '',
  ],
];

const PROSE = [
  'The shop answers in 3 ms, the cache does not.',
  'a < b, c > d, `code`, [a link](http://x), {braces}',
  'The tag `<tool_call>` begins a call, and </tool_call> ends it.',
  '```json\n{"status": "ok", "name": "shop"}\n```',
  '```json\n{"name": "http_probe"}\n```',
  '```ts\nconst a = {};\n```',
  '{"name": "Ann", "arguments": {}}',
  '{"name": "rm_rf", "arguments": {}}',
  '<tool_call>{"name": "rm_rf", "arguments": {"path": "/"}}</tool_call>',
  '<function=rm_rf>{}</function>',
  '<report>All is well.</report>',
  '<http_probe',
  '[TOOL_CALLS] are made like this',
  '<tool_call>',
  '```json\n{"name": "http_probe", "arguments": {"node": ',
  'she said {"name": "http_probe", "arguments": {}} in the middle of a line',
  '<b>bold</b> <i>and</i> <function>',
];

describe('tool calls written as text', () => {
  it.each(WRITTEN)('are recognised: %s', (_, written, text) => {
    expect(run([written])).toEqual({ text, calls: [probe] });
  });

  it.each(PROSE)('are not seen where there are none: %j', (prose) => {
    expect(run([prose])).toEqual({ text: prose, calls: [] });
  });

  it('may be several, one after the other', () => {
    const one = '<tool_call>{"name":"http_probe","arguments":{"node":"a"}}</tool_call>\n';
    const two = '<tool_call>{"name":"report","arguments":{"summary":"</tool_call>"}}</tool_call>';
    expect(run([one + two]).calls).toEqual([
      ['http_probe', { node: 'a' }],
      ['report', { summary: '</tool_call>' }],
    ]);
    const json =
      '{"name":"http_probe","arguments":{"node":"a"}}\n{"name":"report","arguments":{"summary":"b"}}';
    expect(run([`<tool_call>${json}</tool_call>`]).calls).toEqual(run([json]).calls);
    expect(run([json]).calls).toHaveLength(2);
  });

  it('keep text parameters as strings, and parse the others as JSON', () => {
    const tools: OfferedTools = new Map([['set', new Set(['label'])]]);
    const written =
      '<function=set><parameter=label>5</parameter><parameter=port>5</parameter><parameter=deep>{"a": [1]}</parameter></function>';
    expect(run([written], tools).calls).toEqual([
      ['set', { label: '5', port: 5, deep: { a: [1] } }],
    ]);
  });

  it('are calls even if their arguments are invalid', () => {
    const { text, calls } = run([
      '<tool_call>{"name": "http_probe", "arguments": {"node": shop}}</tool_call>',
    ]);
    expect({ text, calls }).toEqual({ text: '', calls: [['http_probe', '{"node": shop}}']] });
  });

  it.each([...WRITTEN.map(([, written]) => written), ...PROSE])(
    'do not depend on how the stream is cut: %j',
    (written) => {
      const whole = run([`Before.\n${written}`]);
      for (let a = 0; a <= written.length; a++)
        expect(run([`Before.\n${written.slice(0, a)}`, written.slice(a)])).toEqual(whole);
      expect(run(['Before.\n', ...written])).toEqual(whole);
    },
  );

  it('do not depend on how the stream is cut', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ...WRITTEN.flatMap(([, written]) => written.match(/[<[{`|]+|[^<[{`|]+/g) ?? []),
      ),
      fc.constantFrom(
        ...WRITTEN.map(([, written]) => written),
        ...PROSE,
        '\n',
        '</tool_call>',
        '```',
        '{"name":"http_probe","arguments":',
      ),
      anyText({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (parts, cuts) => {
          const text = parts.join('');
          const at = [
            0,
            ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b),
            text.length,
          ];
          const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
          const whole = run([text]);
          expect(run(pieces)).toEqual(whole);
          expect(run(text.split(''))).toEqual(whole);
          if (whole.calls.length === 0) expect(whole.text).toBe(text);
        },
      ),
      { numRuns: 250 },
    );
  });

  it('hold back no text that cannot begin a call', () => {
    const filter = new TextCallFilter(offered);
    const shown = (delta: string): string =>
      filter
        .push(delta)
        .map((piece: FilterPiece) => (piece.type === 'text' ? piece.text : '!'))
        .join('');
    expect(shown('Hello ')).toBe('Hello ');
    expect(shown('a <')).toBe('a ');
    expect(shown(' b, <to')).toBe('< b, ');
    expect(shown('p>')).toBe('<top>');
    expect(shown('\n{"sta')).toBe('\n{"sta');
    expect(shown('tus": 1}\n```json\n')).toBe('tus": 1}\n');
    expect(shown('{"st')).toBe('```json\n{"st');
    expect(shown('`')).toBe('');
    expect(shown('x` <tool_call>')).toBe('`x` ');
    expect(shown('x')).toBe('<tool_call>x');
  });

  it('are text if they do not end within the bound', () => {
    const long = `<tool_call>{"name":"http_probe","arguments":{"node":"${'x'.repeat(70_000)}`;
    const filter = new TextCallFilter(offered);
    const shown = filter.push(long).map((piece) => (piece.type === 'text' ? piece.text : '!'));
    expect(shown.join('')).toBe(long);
  });

  it('take linear time', () => {
    const before = processorMs();
    const filter = new TextCallFilter(offered);
    for (let i = 0; i < 50_000; i++) filter.push('<a> [b] {c} `d` ');
    filter.push('<tool_call>{"name":"report","arguments":{"summary":"');
    for (let i = 0; i < 15_000; i++) filter.push('<a>}');
    expect(filter.push('"}}</tool_call>')).toHaveLength(1);
    expect(processorMs() - before).toBeLessThan(5_000);
  });
});
