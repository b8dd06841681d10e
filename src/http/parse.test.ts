import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConsiliumError } from '../domain/errors.js';
import { integerText, pageLimit } from './page-query.js';
import { invalid, parseWith } from './parse.js';
import { ZodPipe } from './zod-pipe.js';

const schema = z.object({
  name: z.string(),
  size: z.number(),
  tags: z.array(z.string()).optional(),
});

function faultsOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof ConsiliumError) return error.faults;
    throw error;
  }
  return undefined;
}

describe('parseWith', () => {
  it('returns the parsed input without unknown keys', () => {
    expect(parseWith(schema, { name: 'a', size: 1, more: true })).toEqual({ name: 'a', size: 1 });
  });

  it('reports every fault by its path', () => {
    expect(faultsOf(() => parseWith(schema, { size: '1', tags: ['a', 2] }))).toEqual([
      { path: 'name', message: 'must be a text' },
      { path: 'size', message: 'must be a number' },
      { path: 'tags.1', message: 'must be a text' },
    ]);
  });

  it('reports what is allowed for a value', () => {
    const strict = z.object({
      decision: z.enum(['approve', 'deny']),
      alerts: z.array(z.string()).min(2),
    });
    expect(faultsOf(() => parseWith(strict, { decision: 'perhaps', alerts: [] }))).toEqual([
      { path: 'decision', message: 'must be one of approve, deny' },
      { path: 'alerts', message: 'must have at least 2 entries' },
    ]);
  });

  it('names the misspelt key of a missing one, and no other unknown key', () => {
    expect(faultsOf(() => parseWith(schema, { Name: 'a', sise: 1, tag: [], more: 1 }))).toEqual([
      { path: 'name', message: 'must be a text' },
      { path: 'size', message: 'must be a number' },
      { path: 'Name', message: 'unknown key; did you mean "name"?' },
    ]);
    expect(parseWith(schema, { name: 'a', nam: 'b', size: 1 })).toEqual({ name: 'a', size: 1 });
  });

  it.each([null, 'text', [], 7])('refuses %j as a whole', (input) => {
    expect(faultsOf(() => parseWith(schema, input, 'body'))).toEqual([
      { path: 'body', message: 'must be a JSON object' },
    ]);
  });
});

it('invalid names three faults and counts the rest', () => {
  const faults = ['a', 'b', 'c', 'd', 'e'].map((path) => ({ path, message: 'is wrong' }));
  expect(invalid(faults).message).toBe(
    'The request is not valid: a is wrong; b is wrong; c is wrong; and 2 more',
  );
  expect(invalid(faults.slice(0, 1)).message).toBe('The request is not valid: a is wrong');
});

it('ZodPipe names a whole input by its parameter, or by its place', () => {
  const pipe = new ZodPipe(z.string());
  expect(pipe.transform('x', { type: 'query' })).toBe('x');
  expect(faultsOf(() => pipe.transform(1, { type: 'param', data: 'id' }))?.[0]?.path).toBe('id');
  expect(faultsOf(() => pipe.transform(1, { type: 'body' }))?.[0]?.path).toBe('body');
});

it('ZodPipe refuses a misspelt parameter of a query, and ignores any other unknown one', () => {
  const pipe = new ZodPipe(z.object({ status: z.string().optional(), limit: pageLimit(9, 5) }));
  const read = (query: object) => pipe.transform(query, { type: 'query' });
  expect(read({ status: 'failed', page: '2', _: '1' })).toEqual({ status: 'failed', limit: 5 });
  expect(faultsOf(() => read({ staus: 'failed', Limit: '1' }))).toEqual([
    { path: 'staus', message: 'unknown parameter; did you mean "status"?' },
    { path: 'Limit', message: 'unknown parameter; did you mean "limit"?' },
  ]);
});

describe('an integer in a query', () => {
  const integer = integerText(1, 200, 'must be from 1 to 200');
  it.each([
    ['1', 1],
    ['200', 200],
    ['007', 7],
  ])('reads %s', (text, value) => expect(integer.parse(text)).toBe(value));

  it.each(['', '0', '201', '-1', '1.5', '1e2', ' 1', '0x1', '1'.repeat(17), ['1'], undefined])(
    'refuses %j',
    (text) =>
      expect(integer.safeParse(text).error?.issues[0]?.message).toBe('must be from 1 to 200'),
  );

  it('has a default as the limit of a page', () => {
    expect([pageLimit(200, 50).parse(undefined), pageLimit(200, 50).parse('9')]).toEqual([50, 9]);
  });
});
