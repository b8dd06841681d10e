import { describe, expect, test } from '@jest/globals';
import {
  ALERT,
  alert,
  always,
  judge,
  latency,
  linesOf,
  measured,
  stepAt,
} from '../../../test/support/incidents/calm-scene.js';
import { MINUTE } from '../../../test/support/incidents/observations.js';
import type { Change, KubernetesObject, Series } from '../../domain/telemetry/records.js';
import type { Observations } from '../observations.js';

describe('an alert about a value in another unit', () => {
  const fires = alert('cart', 'p95 above 0.5', { metric: 'cart_duration_p95' });
  const release: Change = { kind: 'deploy', at: 199 * MINUTE, node: 'cart', version: '2' };
  const own = (factor: number) =>
    measured('cart', 'cart_duration_p95', stepAt(200, 0.2, 0.2 * factor));
  const rank = (factor: number, more: Partial<Observations> = {}) =>
    judge({
      alerts: [fires],
      changes: [release],
      series: [own(factor), latency(always(100))],
      ...more,
    });

  test('is no failure while callers are answered as before', () => {
    expect(rank(1_000)).toMatchObject({
      healthy: true,
      refutation:
        'cart_duration_p95 of cart is in another unit since the release at 03:19:00 (1000 times), and its callers are answered as before',
    });
  });

  test.each<[string, number, Partial<Observations>]>([
    ['the factor is that of no unit', 30, {}],
    ['nothing was released', 1_000, { changes: [] }],
    ['callers wait', 1_000, { series: [own(1_000), latency(stepAt(200, 100, 900))] }],
    ['no caller was measured', 1_000, { series: [own(1_000)] }],
  ])('counts if %s', (_, factor, more) => {
    expect(rank(factor, more).healthy).toBe(false);
  });
});

describe('an alert that a certificate ends soon', () => {
  const fires = alert('shop', 'certificate in secret shop-2025 expires in 20h');
  const ends = (name: string, days: number): Series => ({
    ...measured('shop', name, always(0)),
    values: Array<number>(240).fill((ALERT * MINUTE) / 1_000 + days * 86_400),
  });
  const rank = (...series: Series[]) =>
    judge({ alerts: [fires], series, templates: linesOf('shop', []) });

  test('is no failure if the one that is served ends much later', () => {
    const old = ends('x509_cert_not_after', 1);
    expect(rank(old, ends('probe_ssl_earliest_cert_expiry', 70))).toMatchObject({
      healthy: true,
      refutation: 'the certificate that shop serves ends on 1970-03-12',
    });
    expect(rank(old, ends('probe_ssl_earliest_cert_expiry', 1)).healthy).toBe(false);
    expect(rank(old).healthy).toBe(false);
  });
});

describe('an alert in a window of announced work', () => {
  const work = (message: string): Change => ({
    kind: 'manual',
    id: 'w',
    at: 0,
    node: 'db',
    message,
  });
  const moved: KubernetesObject = {
    kind: 'Event',
    name: 'db-1.1',
    namespace: 'shop',
    object: {
      type: 'Warning',
      reason: 'Unhealthy',
      message: 'Readiness probe failed: connection refused',
      lastTimestamp: new Date(ALERT * MINUTE).toISOString(),
      involvedObject: { kind: 'Pod', namespace: 'shop', name: 'db-1' },
    },
  };
  const rank = (message: string, series: Series[] = [latency(always(100))]) =>
    judge({
      alerts: [alert('db', 'primary of db has changed')],
      changes: [work(message)],
      series: [...series, measured('db', 'patroni_primary', stepAt(ALERT, 1, 0))],
      templates: linesOf('db', []),
      kubernetes: [moved],
      kubernetesByNode: new Map([['db', [moved]]]),
    }).healthy;

  test('is explained by the maintenance, hours after it was announced', () => {
    expect(rank('switchover of db, 03:20-03:50 (approved)')).toBe(true);
  });

  test.each([
    ['at another time', 'switchover of db, 01:00-01:30', undefined],
    ['at no time', 'switchover of db (approved)', undefined],
    [
      'and requests are slower',
      'switchover of db, 03:20-03:50',
      [latency(stepAt(ALERT, 100, 900))],
    ],
  ])('counts if it was announced %s', (_, message, series) => {
    expect(rank(message, series)).toBe(false);
  });
});
