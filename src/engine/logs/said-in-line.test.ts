import { expect, it } from '@jest/globals';
import { quoteLine, withError } from './said-in-line.js';

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

it.each([
  [
    'the message and the error of a JSON object',
    '{"level":50,"pid":1,"msg":"request failed","err":{"type":"TypeError","message":"x is undefined","stack":"…"}}',
    'request failed: x is undefined',
  ],
  ['a JSON object without a message as it is', '{"level":50}', '{"level":50}'],
  ['a JSON object that was cut as it is', '{"msg":"requ', '{"msg":"requ'],
  [
    'no stack frames of Java',
    'a.b.CException: no order\n\tat a.b.D.run(D.java:7)\n\t... 12 more\nCaused by: e.F: gone',
    'a.b.CException: no order Caused by: e.F: gone',
  ],
  [
    'no stack frames of Python',
    'job failed\nTraceback (most recent call last):\n  File "a.py", line 7, in f\n    x()\nKeyError: 7',
    'job failed KeyError: 7',
  ],
])('quotes %s', (_, line, said) => {
  expect(quoteLine(line, 100)).toBe(said);
});

it('quotes up to a word', () => {
  expect(quoteLine('the payment was refused', 14)).toBe('the payment…');
});

it('quotes the exception of a record whose first line leaves no room for it', () => {
  const line =
    'ERROR while appending to clicks-3 in dir /data\njava.io.IOException: disk full\n\tat a.B';
  expect(quoteLine(line, 40)).toBe('java.io.IOException: disk full');
});

it('quotes the last cause of exceptions that do not fit', () => {
  const line = 'could not book the transfer: a.b.C\nCaused by: d.E: f\nCaused by: g.H: disk full';
  expect(quoteLine(line, 100)).toBe(line.replaceAll('\n', ' '));
  expect(quoteLine(line, 40)).toBe('Caused by: g.H: disk full');
});
