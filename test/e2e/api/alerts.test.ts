import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import { hasAlertmanager, startAlertmanager } from '../../support/programs/alertmanager-program.js';
import type { Answer, Api } from '../../support/api.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

interface Delivered {
  received: number;
  ignored: number;
  runs: { topologyId: number; runId: string; outcome: string }[];
}

let scene: Scene;
let api: Api;
let folder: string;
const { key } = makeApiKey();
const admin = { authorization: `Bearer ${key}` };
const releases: (() => void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-alerts-'));
  await writeFile(join(folder, 'key'), key);
  const routes = [{ match: { team: 'pay*' }, topology: 501, cancelOnResolve: true }];
  const secrets = { generic: ['${env:ALERTS_SECRET}'], pagerduty: ['${env:PD_SECRET}'] };
  await writeFile(join(folder, 'alerts.yaml'), JSON.stringify({ secrets, routes }));
  scene = new Scene();
  api = await scene.service({
    AUTH: 'keys',
    AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key'),
    ALERTS_FILE: join(folder, 'alerts.yaml'),
    ALERTS_SECRET: 'one',
    PD_SECRET: 'two',
  });
});
afterEach(() => releases.splice(0).forEach((release) => release()));
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

/** A topology whose node does not answer before the end of the test, so that its run goes on. */
async function slowTopology(more: object = {}): Promise<number> {
  const answer = held(healthy);
  releases.push(() => answer.release());
  return store(await httpTarget(scene.targets, answer), more);
}

async function store(target: { endpoint: string }, more: object = {}): Promise<number> {
  const body = { ...topologyOf({ shop: target }), ...more };
  const { status } = await api.ask('POST', '/topologies', { body, headers: admin });
  expect(status).toBe(201);
  return body.id;
}

const alert = (fingerprint: string, labels: object, more: object = {}) => ({
  status: 'firing',
  fingerprint,
  startsAt: '2026-11-22T12:00:00Z',
  labels: { alertname: 'HighLatency', ...labels },
  annotations: { summary: 'p99 above 1 s' },
  ...more,
});
const send = (source: string, body: unknown, headers: Record<string, string> = admin) =>
  api.ask<Delivered>('POST', `/alerts/${source}`, { body, headers });
const deliver = (...alerts: object[]) => send('alertmanager', { version: '4', alerts });
const runOf = ({ data }: Answer<Delivered>) => data.runs[0]?.runId ?? '';
const codesOf = async (runId: string) => {
  const path = `/executions/${runId}/events?limit=100`;
  const { text } = await api.ask('GET', path, { headers: admin });
  return [...text.matchAll(/"code":"(ALERT_\w+)"/g)].map(([, code]) => code);
};

describe('alerts of Alertmanager', () => {
  it('start one run for a storm, and join it when they fire again', async () => {
    const labels = { consilium_topology: String(await slowTopology()) };
    const storm = Array.from({ length: 300 }, (_, i) =>
      alert(`f${i}`, { ...labels, pod: `p${i}` }),
    );
    const first = await deliver(...storm);
    expect(first).toMatchObject({
      status: 202,
      data: { received: 300, ignored: 0, runs: [{ outcome: 'started' }] },
    });
    const again = await deliver(...storm);
    expect(again.data.runs).toMatchObject([{ outcome: 'joined', runId: runOf(first) }]);
    expect(await codesOf(runOf(first))).toEqual(['ALERT_FIRING']);

    await deliver(alert('f0', labels, { status: 'resolved' }));
    await deliver(alert('new', labels));
    expect(await codesOf(runOf(first))).toEqual(['ALERT_FIRING', 'ALERT_RESOLVED', 'ALERT_FIRING']);
    const path = `/executions/${runOf(first)}/alerts`;
    const { data } = await api.ask<{ items: { status: string }[] }>('GET', path, {
      headers: admin,
    });
    expect(data.items).toHaveLength(301);
    expect(data.items.filter(({ status }) => status === 'resolved')).toHaveLength(1);
    await api.ask('POST', '/executions/cancel', { body: { runId: runOf(first) }, headers: admin });
  });

  it('link to the run that ended recently, which says what it diagnosed', async () => {
    const id = await store(await httpTarget(scene.targets, healthy));
    const labels = { consilium_topology: String(id) };
    const runId = runOf(await deliver(alert('a', labels)));
    const show = async () =>
      (
        await api.ask<{ status: string; userMessage: string }>('GET', `/executions/${runId}`, {
          headers: admin,
        })
      ).data;
    await until('the run has ended', async () => (await show()).status === 'completed');
    expect((await show()).userMessage).toContain('"alert":"HighLatency"');
    expect((await deliver(alert('a', labels))).data.runs).toMatchObject([
      { outcome: 'linked', runId },
    ]);
    const endsAt = new Date(Date.now() + 60_000).toISOString();
    const resolved = await deliver(alert('a', labels, { status: 'resolved', endsAt }));
    expect(resolved.data.runs).toMatchObject([{ outcome: 'resolved', runId }]);
    const path = `/executions/${runId}/postmortem.md`;
    const { text } = await api.ask('GET', path, { headers: admin });
    const [, timeline = ''] = /## Timeline\n\n([^#]*)/.exec(text) ?? [];
    expect(timeline).toMatch(/^- 2026-11-22T12:00:00\.000Z: the alert began: HighLatency\n/);
    expect(timeline.trim().split('\n').at(-1)).toBe(`- ${endsAt}: the alert ended: HighLatency`);
    expect(timeline).not.toContain('"alert"');
  });

  it('of a storm that is longer than its diagnosis are one more run, when the storm is over', async () => {
    const id = await store(await httpTarget(scene.targets, healthy));
    const labels = { consilium_topology: String(id) };
    const statusOf = async (runId: string) =>
      (await api.ask<{ status: string }>('GET', `/executions/${runId}`, { headers: admin })).data
        .status;
    const first = runOf(await deliver(alert('s0', labels)));
    await until('the run has ended', async () => (await statusOf(first)) === 'completed');
    const later = [];
    for (const name of ['s1', 's2', 's3']) later.push(await deliver(alert(name, labels)));
    const second = runOf(later[0] as Answer<Delivered>);
    expect(second).not.toBe(first);
    expect(later.map(({ data }) => data.runs[0])).toMatchObject([
      { outcome: 'started', runId: second },
      { outcome: 'joined', runId: second },
      { outcome: 'joined', runId: second },
    ]);
    expect(await codesOf(second)).toEqual(['ALERT_FIRING', 'ALERT_FIRING', 'ALERT_FIRING']);
    expect(await statusOf(second)).toBe('queued');
    await api.ask('POST', '/executions/cancel', { body: { runId: second }, headers: admin });
    expect(await statusOf(second)).toBe('cancelled');
  });

  it('are routed by the file and by the selectors of nodes, and cancel a run when all have resolved', async () => {
    await slowTopology({ id: 501 });
    const answer = held(healthy);
    releases.push(() => answer.release());
    const target = await httpTarget(scene.targets, answer);
    const selected = topologyOf({ shop: target });
    const sources = [{ id: 'prom', kind: 'prometheus', endpoint: target.endpoint }];
    const nodes = selected.nodes.map((node) => ({ ...node, in: { prom: 'job="shop"' } }));
    const body = { ...selected, nodes, sources };
    const stored = await api.ask('POST', '/topologies', { body, headers: admin });
    expect([stored.status, stored.text]).toEqual([201, expect.anything()]);

    const routed = await deliver(
      alert('p', { team: 'payments' }),
      alert('q', { job: 'shop' }),
      alert('r', { job: 'unknown' }),
    );
    const reasons = [
      expect.stringMatching(
        /^1 alert: no label, route or selector leads to a topology \(labels: .*job\)$/,
      ) as unknown,
    ];
    expect(routed.data).toMatchObject({ received: 3, ignored: 1, reasons });
    expect(routed.data.runs.map(({ topologyId }) => topologyId)).toEqual([501, selected.id]);

    await deliver(alert('p', { team: 'payments' }, { status: 'resolved' }));
    const { data } = await api.ask<{ status: string }>('GET', `/executions/${runOf(routed)}`, {
      headers: admin,
    });
    expect(data.status).toBe('cancelled');
  });

  it('of a topology that does not exist are ignored', async () => {
    const answer = await deliver(alert('x', { consilium_topology: '999999' }));
    const reasons = ['1 alert: there is no topology 999999'];
    expect(answer).toMatchObject({ status: 202, data: { ignored: 1, runs: [], reasons } });
  });
});

describe('who may send alerts', () => {
  const sign = (body: string, secret: string, t = Math.floor(Date.now() / 1_000)) => ({
    'x-consilium-signature': `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  });
  const body = (id: number) =>
    JSON.stringify({
      alerts: [{ title: 'Disk full', labels: { consilium_topology: String(id) } }],
    });

  it('a sender that signs needs no credential; a repeated delivery has the same answer', async () => {
    const text = body(await slowTopology());
    const headers = sign(text, 'one');
    const first = await send('generic', text, headers);
    expect(first).toMatchObject({ status: 202, data: { runs: [{ outcome: 'started' }] } });
    expect((await send('generic', text, headers)).data).toEqual(first.data);
    const pagerduty = JSON.stringify({
      event: {
        id: '1',
        event_type: 'incident.acknowledged',
        occurred_at: new Date().toISOString(),
        data: { id: 'P1', title: 'x' },
      },
    });
    const hex = createHmac('sha256', 'two').update(pagerduty).digest('hex');
    const answer = await send('pagerduty', pagerduty, { 'x-pagerduty-signature': `v1=${hex}` });
    expect(answer).toMatchObject({ status: 202, data: { received: 0 } });
  });

  it.each([
    ['neither key nor signature', {}],
    ['another secret', sign(body(1), 'two')],
    ['an old signature', sign(body(1), 'one', 1_700_000_000)],
    ['a key but no signature, where the file has a secret', admin],
    ['a bad key and a good signature', { ...sign(body(1), 'one'), authorization: 'Bearer x' }],
  ])('%s is refused', async (_, headers) => {
    const answer = await send('generic', body(1), { ...headers });
    expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(answer.text).not.toContain('one');
  });

  it('a sender without a secret in the file needs a key of the role trigger', async () => {
    for (const source of ['grafana', 'alertmanager'])
      expect((await send(source, { alerts: [] }, {})).status).toBe(401);
    const made = await api.ask<{ key: string }>('POST', '/keys', {
      body: { name: 'viewer', role: 'viewer' },
      headers: admin,
    });
    const viewer = { authorization: `Bearer ${made.data.key}` };
    expect((await send('grafana', { alerts: [] }, viewer)).code).toBe('FORBIDDEN');
    expect((await send('grafana', { alerts: [] })).status).toBe(202);
  });
});

describe('a body', () => {
  it.each([
    ['no alerts', '{}', 400],
    ['no JSON', '{"alerts":', 400],
    ['too deep', '['.repeat(40), 400],
    ['too large', JSON.stringify({ alerts: ['x'.repeat(1_100_000)] }), 413],
  ])('with %s is refused', async (_, text, status) =>
    expect((await send('alertmanager', text)).status).toBe(status),
  );
});

if (hasAlertmanager())
  it('a real Alertmanager starts a run, is answered 202, and reports what resolved', async () => {
    const id = await slowTopology();
    const alertmanager = await startAlertmanager(api.at('/alerts/alertmanager'), key);
    const labels = { alertname: 'Down', consilium_topology: String(id) };
    try {
      await alertmanager.post([{ labels, annotations: { summary: 'down' } }]);
      const list = `/executions?topologyId=${id}`;
      const run = await until('a run', async () => {
        const { data } = await api.ask<{ items: { runId: string }[] }>('GET', list, {
          headers: admin,
        });
        return data.items[0];
      });
      await alertmanager.post([{ labels, endsAt: new Date(Date.now() - 1_000).toISOString() }]);
      await until('it is resolved', async () =>
        (await codesOf(run.runId)).includes('ALERT_RESOLVED'),
      );
      expect(await codesOf(run.runId)).toEqual(['ALERT_FIRING', 'ALERT_RESOLVED']);
    } finally {
      await alertmanager.stop();
    }
  });
