import { expect, test } from '@jest/globals';
import { readYaml } from './yaml-text.js';

test('names the line of each key that a map has twice, also in JSON style', () => {
  expect(readYaml('a: 1\nb: {c: 1, c: 2}\na: 2\n', 'models.yaml')).toEqual({
    faults: ['models.yaml:3', 'models.yaml:2'].map((path) => ({
      path,
      message: 'is not YAML here (duplicate key)',
    })),
  });
});

test('reads one document only', () => {
  expect(readYaml('a: 1\n---\n: : [ {', 'models.yaml')).toEqual({
    faults: [{ path: 'models.yaml:2', message: 'is not YAML here (multiple docs)' }],
  });
});
