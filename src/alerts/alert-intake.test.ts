import { expect, it } from '@jest/globals';
import { ConsiliumError, type ErrorCode } from '../domain/errors.js';
import { LOCAL } from '../http/access/principal.js';
import { alertOf } from '../../test/support/suites/alert-store-suite.js';
import type { Topologies } from '../topologies/topologies.js';
import { AlertIntake } from './alert-intake.js';
import type { AlertRuns, Intake } from './alert-runs.js';
import type { AlertsFile } from './alerts-file.js';
import type { TopologySelectors } from './topology-selectors.js';

/** Receives an alert for each of the topologies 1 to 3, of which some fail. */
async function receive(
  failing: Record<number, ErrorCode>,
  alerts = [1, 2, 3].map((id) =>
    alertOf(String(id), { labels: { consilium_topology: String(id) } }),
  ),
  reason?: string,
) {
  const taken: number[] = [];
  const runs = {
    take: async ({ routed: { topologyId } }: Intake) => {
      const code = failing[topologyId];
      if (code) throw new ConsiliumError(code, `${code} of ${topologyId}`);
      taken.push(topologyId);
      return { outcome: 'started', runId: `r${topologyId}` };
    },
  } as unknown as AlertRuns;
  const intake = new AlertIntake(
    runs,
    { get: async () => ({}) } as unknown as Topologies,
    { all: async () => [] } as unknown as TopologySelectors,
    { routes: [], stormSeconds: 60, quietMinutes: 30 } as unknown as AlertsFile,
    { now: () => 0 },
  );
  const answer = await intake
    .receive({ source: 'generic', alerts, leftOff: 0, ...(reason && { reason }) }, LOCAL)
    .catch((error: ConsiliumError) => error.code);
  return { taken, answer };
}

it('handles every topology of a delivery, and then reports that one failed', async () => {
  expect(await receive({ 1: 'UNAVAILABLE' })).toEqual({ taken: [2, 3], answer: 'UNAVAILABLE' });
});

it('ignores the alerts of a topology that cannot be diagnosed, and says why', async () => {
  const { taken, answer } = await receive({ 1: 'VALIDATION_FAILED', 2: 'TOPOLOGY_NOT_FOUND' });
  expect(taken).toEqual([3]);
  expect(answer).toMatchObject({
    received: 3,
    ignored: 2,
    runs: [{ topologyId: 3, runId: 'r3' }],
    reasons: [
      '1 alert: topology 1 cannot be diagnosed: VALIDATION_FAILED of 1',
      '1 alert: there is no topology 2',
    ],
  });
});

it('names the labels of alerts for which nothing fits, so that a route can be written', async () => {
  const event = (id: string, more = {}) =>
    alertOf(id, { labels: { alertname: 'Disk full', service_id: 'P1', ...more } });
  const { answer } = await receive({}, [event('a'), event('b', { urgency: 'high' })]);
  expect(answer).toMatchObject({
    ignored: 2,
    reasons: [
      '2 alerts: no label, route or selector leads to a topology (labels: alertname, service_id, urgency)',
    ],
  });
});

it('says so if these alerts have no labels', async () => {
  const { answer } = await receive({}, [alertOf('a', { labels: {} })]);
  expect(answer).toMatchObject({
    reasons: ['1 alert: no label, route or selector leads to a topology (labels: none)'],
  });
});

it('says so if the label of the topology has no id', async () => {
  const { answer } = await receive({}, [alertOf('a', { labels: { consilium_topology: 'abc' } })]);
  expect(answer).toMatchObject({
    reasons: [
      '1 alert: no label, route or selector leads to a topology (labels: consilium_topology); consilium_topology must be the id of a topology, a number',
    ],
  });
});

it('says why a delivery has no alert', async () => {
  const { answer } = await receive({}, [], 'the event is not of the last day');
  expect(answer).toMatchObject({ received: 0, reasons: ['the event is not of the last day'] });
});
