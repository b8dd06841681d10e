import { describe, expect, it } from '@jest/globals';
import { changeIn, kubernetesListIn, kubernetesObjectsIn, recordingIn } from './parse-changes.js';

describe('changeIn', () => {
  const change = { kind: 'flag', time: '2026-01-01T00:00:00Z' };

  it('has the fields that are present, as text', () => {
    expect(changeIn({ ...change, flag: 'retries', from: 3, to: false, author: null })).toEqual({
      kind: 'flag',
      at: Date.parse('2026-01-01T00:00:00Z'),
      flag: 'retries',
      from: '3',
      to: 'false',
    });
  });

  it('cuts texts and diffs', () => {
    const long = 'x'.repeat(300_000);
    expect(changeIn({ ...change, message: long, diff: long })).toMatchObject({
      message: 'x'.repeat(10_000),
      diff: 'x'.repeat(262_144),
    });
  });

  it.each([
    null,
    {},
    { ...change, kind: 'rumour' },
    { ...change, time: 'noon' },
    { ...change, files: ['x'.repeat(1_001)] },
  ])('refuses %#', (value) => {
    expect(changeIn(value)).toBeUndefined();
  });
});

describe('recordingIn', () => {
  it('has no arguments and the status success by default', () => {
    expect(recordingIn({ tool: 'kubectl', output: 'ok' })).toEqual({
      tool: 'kubectl',
      output: 'ok',
      args: {},
      status: 'success',
    });
  });

  it.each([null, { tool: 'kubectl' }, { output: 'ok' }])('refuses %j', (value) => {
    expect(recordingIn(value)).toBeUndefined();
  });
});

describe('Kubernetes documents', () => {
  const pod = { metadata: { name: 'a', namespace: 'shop' } };

  it('are a list or one object', () => {
    expect(kubernetesObjectsIn({ kind: 'Pod', ...pod })).toMatchObject([
      { kind: 'Pod', name: 'a', namespace: 'shop' },
    ]);
    expect(
      kubernetesObjectsIn({ kind: 'List', items: [{ kind: 'Pod', ...pod }, {}] }),
    ).toHaveLength(1);
  });

  it('name the kind of the items of a typed list, which the API leaves out', () => {
    expect(kubernetesObjectsIn({ kind: 'PodList', items: [pod] })).toMatchObject([{ kind: 'Pod' }]);
  });

  it('show that a kind was listed though it has no object', () => {
    expect(kubernetesListIn({ kind: 'PodList', items: [] })).toEqual({ kinds: ['Pod'] });
  });

  it('show that a kind may not be listed', () => {
    const status = { kind: 'Status', reason: 'Forbidden', details: { kind: 'secrets' } };
    expect(kubernetesListIn(status)).toEqual({ kinds: [], refused: 'secrets' });
  });

  it.each([null, 7, 'text', [], {}, { metadata: { name: 7 } }, { kind: 'Status' }])(
    'have no object in %j',
    (value) => {
      expect(kubernetesObjectsIn(value)).toEqual([]);
      expect(kubernetesListIn(value)).toEqual({ kinds: [] });
    },
  );
});
