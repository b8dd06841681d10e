import { expect, it } from '@jest/globals';
import { subjectOf } from './subject-of.js';

const paths = (path: string) => subjectOf({ node: 'web', tries: 1, path }, ['path']);

it('has the arguments that choose what is measured, whatever their order', () => {
  const args = { to: 'now', from: '-1h', node: 'web', limit: 3 };
  expect(subjectOf(args, ['from', 'to'])).toBe('{"from":"-1h","to":"now"}');
});

it('does not depend on how a call measures', () => {
  expect(subjectOf({ node: 'web', tries: 1 }, ['path'])).toBe('');
  expect(subjectOf({ node: 'web', tries: 9, timeoutMs: 5 })).toBe('');
  expect(paths('/a')).toBe('{"path":"/a"}');
});

it('C6: keeps long arguments apart that differ only at their end', () => {
  const long = `/${'x'.repeat(900)}`;
  expect(paths(`${long}1`)).not.toBe(paths(`${long}2`));
  expect(paths(`${long}1`)).toBe(paths(`${long}1`));
  expect(paths(long).length).toBeLessThan(200);
});
