import { expect, it } from '@jest/globals';
import { limitOf, noteLimit } from './measured-response.js';

it('reads the limit that was noted on a response', () => {
  const response = { locals: {} };
  expect(limitOf(response)).toBeUndefined();
  noteLimit(response, 'streams');
  expect(limitOf(response)).toBe('streams');
});
