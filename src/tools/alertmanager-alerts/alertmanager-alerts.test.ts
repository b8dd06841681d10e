import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type RequestListener } from 'node:http';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  type Alertmanager,
  hasAlertmanager,
  startAlertmanager,
} from '../../../test/support/programs/alertmanager-program.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import type { TopologySource } from '../../domain/topology/topology.js';
import { checkSource } from '../../sources/live/check-source.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { alertmanagerAlerts } from './alertmanager-alerts.js';

const loopback = new Loopback();
afterAll(() => loopback.close());
const serveAt = async (handler: RequestListener) =>
  `http://127.0.0.1:${await loopback.open(createServer(handler))}`;

const reach = { egress: anyEgress, secretOf: () => undefined };
const sources: TopologySource[] = [{ id: 'am', kind: 'alertmanager', provides: [] }];

async function alertsOf(endpoint: string, selector: string) {
  const node = { ...nodeOf('service'), in: { am: selector } };
  const listed = { id: 'am', kind: 'alertmanager' as const, endpoint };
  const live = liveSources({ nodes: [node], sources }, [listed], { ...reach, now: Date.now() });
  return alertmanagerAlerts.run({ node: node.id }, { ...contextOf(node), sources: live });
}

test('is for nodes that select from an Alertmanager, and in a recording for those that did', () => {
  const recorded: TopologySource[] = [
    { id: 'r', kind: 'recording', incident: 'x', provides: ['probes'] },
  ];
  const selecting = { ...nodeOf('service'), in: { am: 'service="api"' } };
  expect(alertmanagerAlerts.appliesTo(selecting, sources)).toBe(true);
  expect(alertmanagerAlerts.appliesTo(nodeOf('service'), sources)).toBe(false);
  const captured = nodeOf('service', undefined, { alerts: 'service="api"' });
  expect(alertmanagerAlerts.appliesTo(captured, recorded)).toBe(true);
  expect(alertmanagerAlerts.appliesTo(nodeOf('service'), recorded)).toBe(false);
});

// Without Alertmanager (Debian: apt-get install prometheus-alertmanager) nothing holds alerts.
if (hasAlertmanager())
  describe('a real Alertmanager', () => {
    let manager: Alertmanager;
    const alert = (alertname: string, more: Record<string, string>, summary?: string) => ({
      labels: { alertname, ...more },
      ...(summary !== undefined && { annotations: { summary } }),
      startsAt: '2026-03-01T10:00:00.000Z',
    });

    beforeAll(async () => {
      manager = await startAlertmanager(await serveAt((_, response) => response.end()), 'key');
      await manager.post([
        alert('Errors', { service: 'api', severity: 'critical' }, 'Requests fail'),
        alert('Slow', { service: 'api', severity: 'warning', instance: 'a' }),
        alert('Slow', { service: 'api', severity: 'warning', instance: 'b' }),
        alert('Odd', { service: 'api', severity: 'info' }),
        alert('DiskFull', { service: 'api', severity: 'critical' }, 'Disk is full.'),
        alert('Watchdog', { service: 'api', severity: 'none' }),
        alert('Errors', { service: 'web, "x"', severity: 'page' }),
        alert('Watchdog', { service: 'calm' }),
      ]);
      const now = Date.now();
      const silence = {
        matchers: [{ name: 'alertname', value: 'DiskFull', isRegex: false }],
        startsAt: new Date(now).toISOString(),
        endsAt: new Date(now + 1e7).toISOString(),
        createdBy: 'ann',
        comment: 'new disk on Monday',
      };
      const made = await fetch(`${manager.url}/api/v2/silences`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(silence),
      });
      expect(made.status).toBe(200);
    });
    afterAll(() => manager.stop());

    test('has the alerts of a node, what they mean, and who has silenced one', async () => {
      const result = expectSound(await alertsOf(manager.url, 'service="api", alertname=~".+"'));
      expect(result.issues.map(({ severity, title }) => `${severity}: ${title}`)).toEqual([
        'warning: alert Errors fires',
        'warning: alert Slow fires (2 times)',
        'info: alert DiskFull fires and is silenced',
        'info: alert Odd fires',
      ]);
      // The target of a measurement is the node's: commands about the node are filled in with it.
      expect(result.measurements).toMatchObject({ alertmanager: new URL(manager.url).host });
      expect(result.measurements).not.toHaveProperty('target');
      expect(result.issues[0]?.detail).toBe(
        'Requests fail. Since 2026-03-01T10:00:00.000Z; severity critical.',
      );
      expect(result.issues[2]?.detail).toMatch(
        /^Silenced until .* by ann: new disk on Monday\. Disk is full\. Since /,
      );
      expect(result).toMatchObject({
        status: 'degraded',
        measurements: { active: 4, suppressed: 1, queries: 2 },
      });
    });

    test('reads a value with commas and quotes in a selector', async () => {
      const { issues } = await alertsOf(manager.url, String.raw`service="web, \"x\""`);
      expect(issues.map(({ severity }) => severity)).toEqual(['warning']);
    });

    test('is well where no alert fires, and measures no node', async () => {
      const result = expectSound(await alertsOf(manager.url, 'service="calm"'));
      expect(result).toMatchObject({ status: 'ok', issues: [] });
      expect(alertmanagerAlerts.measures(nodeOf('service'))).toBe('records');
    });

    test('answers the check of its source', async () => {
      const listed = { id: 'am', kind: 'alertmanager' as const, endpoint: manager.url };
      expect(await checkSource(listed, reach, new AbortController().signal)).toMatchObject({
        state: 'ok',
        detail: '',
      });
    });
  });

test.each([
  [403, 'refused'],
  [500, 'failed'],
  [200, 'failed'],
])('an answer %d that is none says nothing about the node', async (status, failure) => {
  const endpoint = await serveAt((_, response) => response.writeHead(status).end('{"a":1}'));
  await expect(alertsOf(endpoint, 'service="api"')).rejects.toMatchObject({ failure });
});
