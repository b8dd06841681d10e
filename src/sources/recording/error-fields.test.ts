import { expect, it } from '@jest/globals';
import { withError } from './error-fields.js';

it.each([
  ['zap', { error: 'dial tcp: refused' }, 'call failed: dial tcp: refused'],
  ['pino', { err: { type: 'Error', message: 'refused', stack: 'at …' } }, 'call failed: refused'],
  [
    'OpenTelemetry',
    { 'exception.type': 'java.io.IOException', 'exception.message': 'refused' },
    'call failed: java.io.IOException: refused',
  ],
  ['a flag', { error: true, err: 7, exc_info: null }, 'call failed'],
  ['a field that the message repeats', { error: 'failed' }, 'call failed'],
  ['no field', {}, 'call failed'],
])('adds the error of %s', (_, fields, text) => {
  expect(withError('call failed', fields)).toBe(text);
});

it('bounds what it adds', () => {
  expect(withError('x', { error: 'no '.repeat(10_000) })).toHaveLength(1_003);
});
