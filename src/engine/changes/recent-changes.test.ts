import { expect, test } from '@jest/globals';
import { MINUTE } from '../../../test/support/incidents/observations.js';
import { recentChanges } from './recent-changes.js';

test('has what was changed at nodes in the last hour, newest first', () => {
  const change = (minute: number, node?: string) => ({
    kind: 'deploy' as const,
    at: minute * MINUTE,
    id: `d${minute}`,
    message: 'v2',
    ...(node !== undefined && { node }),
  });
  const changes = [
    change(30, 'web'),
    change(80, 'web'),
    change(100, 'db'),
    change(110),
    change(130, 'db'),
  ];
  const found = recentChanges({ changes, frame: { start: 0, now: 120 * MINUTE } });
  expect(found.map(({ change: id, node }) => [id, node])).toEqual([
    ['d100', 'db'],
    ['d80', 'web'],
  ]);
});
