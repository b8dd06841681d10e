import { expect, it } from '@jest/globals';
import { UnrecoverableError, type Job } from 'bullmq';
import { isTriedAgain } from './retry-delays.js';

const job = (attemptsMade: number, attempts?: number) =>
  ({ attemptsMade, opts: { attempts } }) as unknown as Job;
const away = new Error('Redis does not answer');

it.each([
  ['the first of three attempts', job(0, 3), away, true],
  ['the second of three attempts', job(1, 3), away, true],
  ['the last attempt', job(2, 3), away, false],
  ['the only attempt', job(0), away, false],
  ['an error that would come again', job(0, 3), new UnrecoverableError('no topology'), false],
])('knows whether a job is tried again after %s', (_, failed, error, expected) => {
  expect(isTriedAgain(failed, error)).toBe(expected);
});
