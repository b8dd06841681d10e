import { expect, it } from '@jest/globals';
import { isCalm } from '../../console/src/run/calm.js';

const view = {
  seq: 1,
  endTime: 1,
  axisEnd: 1,
  live: true,
  linked: true,
  at: null,
  node: null,
  playing: false,
};
const differs = (before: object, after: object): boolean =>
  !isCalm({ ...view, ...before }, { ...view, ...after });

it('waits with what the run changes, its end too', () => {
  expect(differs({}, { seq: 9, endTime: 9, axisEnd: 9 })).toBe(false);
  expect(differs({}, { live: false })).toBe(false);
  expect(differs({}, { linked: false })).toBe(false);
});

it('shows at once what the reader does', () => {
  expect(differs({}, { node: 'db' })).toBe(true);
  expect(differs({}, { at: 4, seq: 4 })).toBe(true);
  expect(differs({ at: 4 }, { at: 5 })).toBe(true);
});

it('waits with the position of a replay that plays', () => {
  expect(differs({ playing: true, at: 4 }, { playing: true, at: 5 })).toBe(false);
  expect(differs({ playing: false, at: 4 }, { playing: true, at: 5 })).toBe(true);
});
