import { describe, expect, test } from '@jest/globals';
import { readChange } from '../read-change.js';
import { readDiff } from '../read-diff.js';

const mechanismsOf = (diff: string) =>
  readChange({ kind: 'config', at: 0, id: 'c', files: ['values.yaml'], diff }).mechanisms;

describe('settings without a name of their own', () => {
  const retries = mechanismsOf(
    ' seatLock:\n   retry:\n-    max: 2\n-    backoff: 200ms\n+    max: 12\n+    backoff: 0ms',
  );

  test('have that of their block', () => {
    expect(retries.map(({ kind }) => kind)).toEqual(['retries-raised', 'backoff-removed']);
    expect(retries[0]).toMatchObject({ numbers: { from: 2, to: 12 } });
    expect(mechanismsOf(' retry:\n-  max: 12\n+  max: 2').map(({ kind }) => kind)).toEqual([
      'retries-lowered',
    ]);
  });

  test('have none where the block has ended', () => {
    const [first] = readDiff({ diff: ' retry:\n   times: 3\n pool:\n-  max: 5' }).removed;
    expect(first).toBe('pool.max: 5');
    expect(readDiff({ diff: ' retry:\n   times: 3\n-max: 5' }).removed).toEqual(['max: 5']);
  });
});
