import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonFault, showJsonFault } from './json-fault.js';

const faultOf = (text: string) => {
  const fault = jsonFault(text);
  return fault && showJsonFault(fault);
};

describe('jsonFault', () => {
  it.each([
    ['', 'expected a value, but the text ends at line 1, column 1'],
    ['{"id": 3,', 'expected a key in double quotes, but the text ends at line 1, column 10'],
    ['{"id": 7,\n "name": }', 'expected a value at line 2, column 10'],
    ['{"id": 7\n "name": 1}', 'expected "," or "}" at line 2, column 2'],
    ['{"id" 7}', 'expected ":" after a key at line 1, column 7'],
    ['{id: 7}', 'expected a key in double quotes or "}" at line 1, column 2'],
    ['{"id": 7,}', 'expected a key in double quotes at line 1, column 10'],
    ['[1, 2', 'expected "," or "]", but the text ends at line 1, column 6'],
    ['[1, ]', 'expected a value at line 1, column 5'],
    ['[}', 'expected a value or "]" at line 1, column 2'],
    ['{} {}', 'expected the end of the text at line 1, column 4'],
    ['[01]', 'expected a value or "]" at line 1, column 2'],
    ['[hunter2]', 'expected a value or "]" at line 1, column 2'],
    [
      '{"a": "b\n"}',
      'a string is not closed, or has an escape or a control character that is not valid at line 1, column 7',
    ],
  ])('%j', (text, fault) => expect(faultOf(text)).toBe(fault));

  it('finds a fault where JSON.parse does, and only there', () => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '\\u00e9', '\u007f', '\u0085', '\t'],
      ...['1', '-', '0', '.5', 'e3', 'true', 'null', ' ', '\n', 'é', '\ud83d', '"\\n"'],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          expect(jsonFault(text) === undefined).toBe(isJson(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('takes what JSON allows in a string', () => {
    expect(jsonFault('["\u007f\u0085\u2028\ud83d é \\u00e9"]')).toBeUndefined();
  });

  it('reads a string of a MiB, closed or not', () => {
    const long = `"${'x'.repeat(1_048_576)}`;
    expect(jsonFault(`${long}"`)).toBeUndefined();
    expect(jsonFault(`[${long}`)).toMatchObject({ line: 1, column: 2 });
  });
});
