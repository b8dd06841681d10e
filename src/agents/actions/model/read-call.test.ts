import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCall } from './read-call.js';
import { anyText } from '../../../../test/support/generators/any-text.js';

describe('a call of a model', () => {
  it('is read with its arguments', () => {
    expect(readCall({ tool: ' look ', input: '{"node":"web","deep":[{"a":"]"}]}' })).toEqual({
      tool: 'look',
      args: { node: 'web', deep: [{ a: ']' }] },
    });
    expect(readCall({ tool: 'look', input: '' })).toEqual({ tool: 'look', args: {} });
  });

  it.each([
    ['no name', { tool: ' ', input: '{}' }, 'unnamed', /no tool name/],
    ['no JSON', { tool: 'look', input: '{"node": "sh' }, 'look', /not a JSON object/],
    ['no object', { tool: 'look', input: '["web"]' }, 'look', /not a JSON object/],
    [
      'arguments of a megabyte',
      { tool: 'look', input: JSON.stringify({ a: 'x'.repeat(2 ** 20) }) },
      'look',
      /longer than 65536/,
    ],
    [
      'arguments nested 10,000 deep',
      { tool: 'look', input: `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
      'look',
      /deeper than 32/,
    ],
  ])('with %s is a fault for the model', (_, call, tool, fault) => {
    const read = readCall(call);
    expect(read).toMatchObject({ tool, fault: expect.stringMatching(fault) });
    expect(JSON.stringify(read.args).length).toBeLessThan(5_000);
  });

  it('has a name of at most 100 characters, and keeps no half of a character', () => {
    expect(readCall({ tool: 'x'.repeat(5_000), input: '{}' }).tool).toHaveLength(100);
    const input = `${'x'.repeat(1_999)}😀`;
    expect(readCall({ tool: 'look', input }).args).toEqual({ unparsed: 'x'.repeat(1_999) });
  });

  it('has no control characters, also where they are escaped', () => {
    expect(
      readCall({ tool: 'lo\u0000ok', input: '{"narrative":"a\\u001b[1m\\u202eb\\n\\tc"}' }),
    ).toEqual({ tool: 'look', args: { narrative: 'a[1mb\n\tc' } });
    expect(readCall({ tool: 'look', input: '\u001b{' }).args).toEqual({ unparsed: '{' });
  });

  it('never throws, and always fits the log', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (tool, input) => {
        const read = readCall({ tool, input });
        expect(read.tool).not.toBe('');
        expect(JSON.parse(JSON.stringify(read.args))).toEqual(read.args);
      }),
    );
  });
});
