import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { closeJson } from './close-json.js';

test.each([
  ['{"status":"DOWN","checks":{"db":{"stat', '{"status":"DOWN","checks":{"db":{}}}'],
  ['{"a":"x,}","b":1', '{"a":"x,}"}'],
  ['{"a":"\\"{","b":[1,{"c":2},3', '{"a":"\\"{","b":[1,{"c":2}]}'],
  ['{"a', '{}'],
  ['{"a":1,"b\\', '{"a":1}'],
  ['{"a":1}', '{"a":1}'],
])('closes %s', (cut, closed) => {
  expect(closeJson(cut)).toBe(closed);
});

test('any beginning of an object can be read', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      const cut = text.slice(0, 1 + (at % text.length));
      expect(typeof JSON.parse(closeJson(cut))).toBe('object');
    }),
  );
});
