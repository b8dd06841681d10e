import { beforeEach, expect, it } from '@jest/globals';
import type { Alert } from '../../../src/alerts/alert.js';
import type { AlertStore } from '../../../src/alerts/alert-store.js';

/** An alert with the given fingerprint. */
export const alertOf = (fingerprint: string, more: Partial<Alert> = {}): Alert => ({
  fingerprint,
  status: 'firing',
  name: 'Slow',
  annotations: {},
  labels: { alertname: 'Slow', service: 'shop' },
  startsAt: '2026-11-22T12:00:00Z',
  ...more,
});

const topology = (id: number, tenant = 'default') => ({ tenant, id });

/** What every implementation of `AlertStore` must do. */
export function alertStoreSuite(make: () => AlertStore): void {
  let store: AlertStore;
  beforeEach(() => void (store = make()));

  it('gives the run of a topology to one of several claims', async () => {
    expect(await store.runOf(topology(1))).toBeUndefined();
    const claimed = await Promise.all(
      ['a', 'b', 'c'].map((next) => store.claim(topology(1), { before: undefined, next })),
    );
    expect(new Set(claimed).size).toBe(1);
    expect(await store.runOf(topology(1))).toBe(claimed[0]);
    expect(await store.claim(topology(1), { before: 'z', next: 'd' })).toBe(claimed[0]);
    expect(await store.claim(topology(1), { before: claimed[0], next: 'e' })).toBe('e');
    expect(await store.runOf(topology(2))).toBeUndefined();
    expect(await store.runOf(topology(1, 'other'))).toBeUndefined();
  });

  it('accepts a claim whose run before has expired', async () => {
    expect(await store.claim(topology(3), { before: 'gone', next: 'a' })).toBe('a');
  });

  it('keeps the last state of each alert of a run', async () => {
    await store.record('r', []);
    expect((await store.alertsOf('r')).size).toBe(0);
    await store.record('r', [alertOf('1'), alertOf('2')]);
    await store.record('r', [alertOf('1', { status: 'resolved' })]);
    const alerts = await store.alertsOf('r');
    expect([alerts.get('1')?.status, alerts.get('2')?.status]).toEqual(['resolved', 'firing']);
    expect(alerts.get('2')).toEqual(alertOf('2'));
  });

  it('counts the changes of each run', async () => {
    const counts = [];
    for (const runId of ['r', 'r', 's']) counts.push(await store.countChange(runId));
    expect(counts).toEqual([1, 2, 1]);
  });

  it('remembers the answer to a delivery', async () => {
    expect(await store.answered('x')).toBeUndefined();
    await store.rememberAnswer('x', '{}');
    expect([await store.answered('x'), await store.answered('y')]).toEqual(['{}', undefined]);
  });
}
