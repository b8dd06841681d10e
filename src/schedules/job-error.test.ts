import { expect, it } from '@jest/globals';
import { UnrecoverableError } from 'bullmq';
import { ConsiliumError } from '../domain/errors.js';
import { asJobError } from './job-error.js';

it.each(['RATE_LIMITED', 'UNAVAILABLE'] as const)('tries a start again after %s', (code) => {
  const error = new ConsiliumError(code, 'Later');
  expect(asJobError(error)).toBe(error);
});

it('does not try again what fails each time', () => {
  const error = new ConsiliumError('TOPOLOGY_NOT_FOUND', 'There is no topology 1');
  expect(asJobError(error)).toBeInstanceOf(UnrecoverableError);
});
