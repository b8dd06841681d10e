import {
  BadRequestException,
  ForbiddenException,
  NotFoundException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { expect, it } from '@jest/globals';
import type { Request } from 'express';
import { ConsiliumError } from '../domain/errors.js';
import { STATUS_OF, toConsiliumError } from './to-consilium-error.js';

const request = {
  method: 'GET',
  path: '/nowhere',
  originalUrl: '/nowhere',
  app: { router: { stack: [] } },
} as unknown as Request;

it('returns the errors of the service unchanged', () => {
  const error = new ConsiliumError('RUN_NOT_FOUND', 'There is no run x');
  expect(toConsiliumError(error, request)).toBe(error);
});

it.each(['Connection is closed.', 'Command timed out'])(
  'reports a failure of the store as UNAVAILABLE: %s',
  (message) => {
    const cause = new Error(message);
    const error = toConsiliumError(cause, request);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', options: { retryAfterSeconds: 5, cause } });
    expect(error?.message).not.toContain(message);
  },
);

it('says where to look if the store denies the service access, and not what it denies', () => {
  const cause = new Error("NOPERM No permissions to access the 'consilium:{r}:log' key");
  expect(toConsiliumError(cause, request)).toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The store denies the service access. The log of the service has the reason',
  });
});

it.each([
  [new BadRequestException(), 'VALIDATION_FAILED'],
  [new NotFoundException(), 'NOT_FOUND'],
  [new ServiceUnavailableException(), 'UNAVAILABLE'],
])('reports an exception of Nest as its code (%#)', (exception, code) => {
  expect(toConsiliumError(exception, request)?.code).toBe(code);
});

it.each([new Error('a secret'), new ForbiddenException(), 'text', undefined])(
  'does not show %s to clients',
  (error) => expect(toConsiliumError(error, request)).toBeUndefined(),
);

it('has a 4xx or 5xx status for every code', () => {
  for (const status of Object.values(STATUS_OF)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThanOrEqual(503);
  }
});
