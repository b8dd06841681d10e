import { describe, expect, it } from '@jest/globals';
import { eventPageSchema, listQuerySchema, toCursor } from './execution-query.js';

const runId = '01960d3c-5f2a-7cc0-8000-0123456789ab';

describe('the query of a list of runs', () => {
  it('has a limit of 50 by default', () => {
    expect(listQuerySchema.parse({})).toEqual({ limit: 50 });
  });

  it('reads its own cursor', () => {
    const place = { createdAt: 1_763_000_000_000, runId };
    expect(listQuerySchema.parse({ cursor: toCursor(place) }).cursor).toEqual(place);
  });

  it.each(['', 'x', Buffer.from(`x:${runId}`).toString('base64url'), '☃'])(
    'refuses the cursor %j',
    (cursor) => {
      expect(listQuerySchema.safeParse({ cursor }).error?.issues).toMatchObject([
        { path: ['cursor'], message: 'must be the nextCursor of a page' },
      ]);
    },
  );

  it.each([
    ['topologyId', '0', 'must be a positive integer'],
    ['topologyId', '1e3', 'must be a positive integer'],
    ['topologyId', '99999999999999999', 'must be a positive integer'],
    ['kind', 'other', 'must be "diagnosis" or "chat"'],
    ['limit', '201', 'must be an integer from 1 to 200'],
    ['limit', '-1', 'must be an integer from 1 to 200'],
  ])('refuses %s=%s', (key, value, message) => {
    expect(listQuerySchema.safeParse({ [key]: value }).error?.issues).toMatchObject([
      { path: [key], message },
    ]);
  });
});

it('the query of a page of events has a limit of 100 by default', () => {
  expect(eventPageSchema.parse({})).toMatchObject({ limit: 100 });
  expect(eventPageSchema.safeParse({ limit: '1001' }).success).toBe(false);
});
