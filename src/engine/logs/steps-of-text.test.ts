import { expect, test } from '@jest/globals';
import { stepsOfText } from './steps-of-text.js';

test.each([
  ['timeout', 'ERROR: canceling statement due to statement timeout', 'statement-timeout'],
  ['timeout', 'Lock wait timeout exceeded; try restarting transaction', 'statement-timeout'],
  ['rate-limited', 'You have exceeded your daily request quota for this API.', 'quota-of-provider'],
  ['capacity', '2024/01/01 [alert] 24 worker_connections are not enough', 'nginx-connections'],
  ['volume', 'pod has unbound immediate PersistentVolumeClaims', 'unbound-claim'],
  ['infrastructure', 'node_timex_offset_seconds', 'clock'],
  ['infrastructure', 'Token used before issued', 'clock'],
] as const)('%s: "%s" is one for the steps %s', (kind, text, steps) => {
  expect(stepsOfText(kind, text)).toEqual({ steps });
});

test.each([
  ['timeout', 'upstream timed out'],
  ['disk-full', 'disk quota exceeded'],
  [undefined, 'quota'],
] as const)('%s: "%s" says no more than the kind', (kind, text) => {
  expect(stepsOfText(kind, text)).toEqual({});
});
