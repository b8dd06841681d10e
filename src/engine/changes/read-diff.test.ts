import { expect, test } from '@jest/globals';
import { readChange } from './read-change.js';

const read = (diff: string) =>
  readChange({ kind: 'manual', at: 0, id: 'CHG-1', diff }).mechanisms.map(({ kind }) => kind);

test('a statement that a person ran is read as new; the lines around a change are not', () => {
  expect(read('ALTER TABLE products DROP INDEX ix_sku;')).toContain('index-removed');
  expect(read(' ALTER TABLE products DROP INDEX ix_sku;\n-a = 1\n+a = 2')).not.toContain(
    'index-removed',
  );
});
