import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listQuerySchema, showQuerySchema, toCursor, topologyIdSchema } from './topology-query.js';
import { anyText } from '../../test/support/generators/any-text.js';

it('reads its own cursor', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
      expect(listQuerySchema.parse({ cursor: toCursor(id) })).toEqual({ limit: 50, cursor: id });
    }),
  );
});

it('refuses any other text as a cursor', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 60 }), (cursor) => {
      const { success, data } = listQuerySchema.safeParse({ cursor });
      if (success) expect(data.cursor).toBeGreaterThan(0);
    }),
  );
  for (const cursor of ['', 'x', toCursor(0), toCursor(-1), toCursor(1e16)])
    expect(listQuerySchema.safeParse({ cursor }).success).toBe(false);
});

it('reads the id and the version of a topology', () => {
  expect(topologyIdSchema.parse('12')).toBe(12);
  expect(showQuerySchema.parse({ version: '3' })).toEqual({ version: 3 });
  expect(showQuerySchema.parse({})).toEqual({});
  expect(topologyIdSchema.safeParse('0').error?.issues[0]?.message).toBe(
    'must be a positive integer, at most 9007199254740991',
  );
  expect(showQuerySchema.safeParse({ version: 'one' }).success).toBe(false);
});
