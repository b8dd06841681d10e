import { expect, it } from '@jest/globals';
import { courseOf } from './course.js';

const minutes = (count: number) => Array.from({ length: count }, (_, i) => i * 60_000);

it('keeps the steps of a short series', () => {
  const course = courseOf({ times: minutes(4), values: [5, 5, 92.12345, 92] }, 40);
  expect(course).toEqual({ start: 0, step: 45_000, values: [5, 5, 92.12, 92] });
});

it('thins a long series out to the mean of each step', () => {
  const times = minutes(400);
  const course = courseOf({ times, values: times.map((_, i) => (i < 200 ? 1 : 3)) }, 40);
  expect(course?.values).toEqual([...Array<number>(20).fill(1), ...Array<number>(20).fill(3)]);
});

it('has null where nothing was measured, and leaves out what is no number', () => {
  const course = courseOf({ times: [0, 1, 2, 9], values: [1, NaN, 3, 4] }, 3);
  expect(course).toEqual({ start: 0, step: 3, values: [2, null, 4] });
});

it('is absent of points that span no time', () => {
  expect(courseOf({ times: [5], values: [1] }, 10)).toBeUndefined();
  expect(courseOf({ times: [], values: [] }, 10)).toBeUndefined();
});
