import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { httpTarget, silent } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { AttackScene, type Heard } from './attack-scene.js';

const ALERTS = '/api/service/v1/alerts';
const SECRETS = { generic: 'first-secret', pagerduty: 'second-secret', grafana: 'third-secret' };
/** The topology of the service `shop` of PagerDuty. */
const ROUTED = 777_001;
type Signer = keyof typeof SECRETS;
type Headers = Record<string, string | string[]>;

interface Delivered {
  ignored: number;
  reasons?: unknown;
  runs: { topologyId: number; runId: string; outcome: string }[];
}

let attack: AttackScene;
let folder: string;
/** A topology whose runs do not end by themselves. */
let hanging: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-deliveries-'));
  const secrets = Object.fromEntries(
    Object.keys(SECRETS).map((source) => [source, [`\${file:${join(folder, source)}}`]]),
  );
  await Promise.all(
    Object.entries(SECRETS).map(([source, secret]) => writeFile(join(folder, source), secret)),
  );
  const routes = [{ match: { service: 'shop' }, topology: ROUTED }];
  const file = join(folder, 'alerts.yaml');
  await writeFile(file, JSON.stringify({ secrets, routes }));
  attack = await AttackScene.open('keys', {
    ALERTS_FILE: file,
    ALERTS_PER_MINUTE: '0',
    // Targets are on loopback, which tenants reach only if it is named.
    EGRESS_ALLOW: '127.0.0.0/8',
  });
  hanging = await store();
});
afterAll(async () => {
  await attack.close();
  await rm(folder, { recursive: true });
});

async function store(headers: Record<string, string> = {}, id?: number): Promise<number> {
  const target = await httpTarget(attack.scene.targets, silent);
  const topology = { ...topologyOf({ shop: target }), ...(id !== undefined && { id }) };
  const { status, said } = await attack.post('/topologies', topology, headers);
  expect([status, said]).toEqual([201, said]);
  return topology.id;
}

const seconds = () => Math.floor(Date.now() / 1_000);
const hmac = (secret: string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding);
const alertFor = (topology: number | string, title = 'Disk full') =>
  JSON.stringify({ alerts: [{ title, labels: { consilium_topology: String(topology) } }] });
const signed = (body: string, secret = SECRETS.generic, t = seconds()): Headers => ({
  'x-consilium-signature': `t=${t},v1=${hmac(secret, `${t}.${body}`)}`,
});

const deliver = (source: string, body: string, headers: Headers): Promise<Heard> =>
  attack.ask(`${ALERTS}/${source}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
const answerOf = ({ status, said }: Heard): Delivered => {
  expect([status, said]).toEqual([202, said]);
  return (JSON.parse(said) as { data: Delivered }).data;
};
/** The runs of a topology, as the admin of its tenant sees them. */
async function runsOf(topology: number, headers: Record<string, string> = attack.insider) {
  const path = `/api/service/v1/executions?topologyId=${topology}`;
  const { said } = await attack.ask(path, { headers });
  return (JSON.parse(said) as { data: { items: unknown[] } }).data.items.length;
}

describe('a forged signature', () => {
  const body = alertFor(1);
  const now = seconds();
  const good = hmac(SECRETS.generic, `${now}.${body}`);

  it.each<[string, Headers]>([
    ['an empty one', { 'x-consilium-signature': '' }],
    ['a time alone', { 'x-consilium-signature': `t=${now}` }],
    ['no digits', { 'x-consilium-signature': `t=${now},v1=` }],
    ['a part of a good one', { 'x-consilium-signature': `t=${now},v1=${good.slice(0, 32)}` }],
    ['more than a good one', { 'x-consilium-signature': `t=${now},v1=${good}00` }],
    ['another scheme', { 'x-consilium-signature': `t=${now},v0=${good}` }],
    ['another time', { 'x-consilium-signature': `t=${now + 1},v1=${good}` }],
    ['a second time', { 'x-consilium-signature': `t=${now + 1},t=${now},v1=${good}` }],
    ['no time', { 'x-consilium-signature': `v1=${hmac(SECRETS.generic, body)}` }],
    ['an empty time', { 'x-consilium-signature': `t=,v1=${hmac(SECRETS.generic, `.${body}`)}` }],
    ['a time to come', signed(body, SECRETS.generic, now + 3_600)],
    ['a time in ms', signed(body, SECRETS.generic, Date.now())],
    ['an empty secret', signed(body, '')],
    ['the reference to the secret', signed(body, '${env:ALERTS_SECRET}')],
    ['the secret of another sender', signed(body, SECRETS.pagerduty)],
    ['another body', signed(alertFor(2))],
    ['base64', { 'x-consilium-signature': `t=${now},v1=${hmac(SECRETS.generic, body, 'base64')}` }],
    [
      'ten thousand guesses',
      { 'x-consilium-signature': `t=${now}${',v1=00'.repeat(2_000)},v1=${good}` },
    ],
    ['that of another header', { 'x-pagerduty-signature': `v1=${good}` }],
    ['a cookie', { cookie: 'x-consilium-signature=t=1,v1=00' }],
  ])('with %s is refused', async (_, headers) => {
    const { status, said } = await deliver('generic', body, headers);
    expect([status, said]).toEqual([401, said]);
    for (const secret of [good, ...Object.values(SECRETS)]) expect(said).not.toContain(secret);
  });

  it.each<[Signer, string]>([
    ['pagerduty', 'x-pagerduty-signature'],
    ['grafana', 'x-grafana-alerting-signature'],
  ])('of %s with the secret of another sender, or of another body, is refused', async (source) => {
    for (const [secret, text] of [
      [SECRETS.generic, body],
      [SECRETS[source], `${body} `],
      [SECRETS[source], ''],
    ] as const) {
      const value = hmac(secret, text);
      const headers = {
        'x-pagerduty-signature': `v1=${value}`,
        'x-grafana-alerting-signature': value,
      };
      expect((await deliver(source, body, headers)).status).toBe(401);
    }
  });

  it('is an entry of the audit log, and no failed login of its address', async () => {
    const requestId = 'forged-delivery';
    const headers = { ...signed(body, 'guessed'), 'x-request-id': requestId };
    expect((await deliver('generic', body, headers)).status).toBe(401);
    const { said } = await attack.ask('/api/service/v1/audit?limit=200', {
      headers: attack.insider,
    });
    const { items } = (JSON.parse(said) as { data: { items: { requestId?: string }[] } }).data;
    expect(items.find((entry) => entry.requestId === requestId)).toMatchObject({
      action: 'login:failed',
      principal: null,
      status: 401,
      method: 'POST',
      path: `${ALERTS}/generic`,
      address: '127.0.0.1',
    });
  });

  it('of Alertmanager is refused, which does not sign', async () => {
    expect((await deliver('alertmanager', body, signed(body))).status).toBe(401);
  });
});

describe('a good signature', () => {
  it('covers every byte of the body', async () => {
    const body = alertFor(hanging, 'Signed');
    for (const other of [
      ` ${body}`,
      `${body}\n`,
      body.replace('Signed', 'signed'),
      body.replace('{', '{"alerts":[],'),
    ])
      expect((await deliver('generic', other, signed(body))).status).toBe(401);
    expect(await runsOf(hanging)).toBe(0);
  });

  it('opens no other endpoint', async () => {
    const headers = signed('');
    for (const path of ['/executions', '/topologies', '/keys', '/audit', '/sources'])
      expect((await attack.ask(`/api/service/v1${path}`, { headers })).status).toBe(401);
    const trigger = JSON.stringify({ topologyId: hanging, userMessage: 'x' });
    const sent = { method: 'POST', body: trigger, headers: { ...signed(trigger) } };
    const { status } = await attack.ask('/api/service/v1/executions/trigger', sent);
    expect(status).toBe(401);
  });

  it('starts one run, however often and however much at once it is replayed', async () => {
    const topology = await store();
    const body = alertFor(topology);
    const headers = signed(body);
    const t = headers['x-consilium-signature'] as string;
    const variations: Headers[] = [
      headers,
      { 'x-consilium-signature': `${t},v1=${'0'.repeat(64)}` },
      { 'x-consilium-signature': t.replace('t=', ' t=').replace('v1=', ' v1=') },
      { 'x-consilium-signature': t.replace(/[0-9a-f]{64}$/, (hex) => hex.toUpperCase()) },
    ];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => deliver('generic', body, variations[i % 4] ?? headers)),
    );
    const ids = answers.map((answer) => answerOf(answer).runs[0]?.runId);
    expect(new Set(ids).size).toBe(1);
    await attack.post('/executions/cancel', { runId: ids[0] });
    for (const variation of variations)
      expect(answerOf(await deliver('generic', body, variation)).runs[0]?.runId).toBe(ids[0]);
    expect(await runsOf(topology)).toBe(1);
    const { said } = await attack.ask('/api/service/v1/audit?limit=200', {
      headers: attack.insider,
    });
    const { items } = (JSON.parse(said) as { data: { items: { object?: string }[] } }).data;
    const count = (object: string) => items.filter((entry) => entry.object === object).length;
    // Those that come at once may each have started it.
    expect(count(`started ${ids[0]}`)).toBeGreaterThanOrEqual(1);
    expect(count(`repeated ${ids[0]}`)).toBeGreaterThanOrEqual(variations.length);
  });

  it('of PagerDuty is replayed in vain, within a day and after', async () => {
    await store({}, ROUTED);
    const event = (occurred_at: string) =>
      JSON.stringify({
        event: {
          id: 'e1',
          event_type: 'incident.triggered',
          occurred_at,
          data: { id: 'P1', title: 'Down', service: { id: 'S1', summary: 'shop' } },
        },
      });
    const send = async (body: string) => {
      const value = `v1=${hmac(SECRETS.pagerduty, body)}`;
      return answerOf(await deliver('pagerduty', body, { 'x-pagerduty-signature': value })).runs;
    };
    const now = event(new Date().toISOString());
    const [first] = await send(now);
    expect(first).toMatchObject({ topologyId: ROUTED, outcome: 'started' });
    await attack.post('/executions/cancel', { runId: first?.runId });
    expect(await send(now)).toEqual([first]);
    for (const time of [new Date(Date.now() - 25 * 3_600_000).toISOString(), 'not a time'])
      expect(await send(event(time))).toEqual([]);
    expect(await runsOf(ROUTED)).toBe(1);
  });
});

describe('alerts about a topology of another tenant', () => {
  let acme: Record<string, string>;
  let foreign: number;
  beforeAll(async () => {
    const made = await attack.post('/keys', { name: 'acme', role: 'admin', tenant: 'acme' });
    const { key } = (JSON.parse(made.said) as { data: { key: string } }).data;
    acme = { authorization: `Bearer ${key}` };
    foreign = await store(acme);
  });

  /** An answer without the id that was asked about. */
  const shape = (answer: Heard, id: number) => answer.said.replaceAll(String(id), '#');

  it('are answered as those about a missing one, and start nothing', async () => {
    const missing = 999_999;
    const own = hanging;
    for (const [at, body] of [
      [foreign, alertFor(foreign)],
      [missing, alertFor(missing)],
    ] as const) {
      const answer = await deliver('generic', body, signed(body));
      expect(answerOf(answer).runs).toEqual([]);
      const other = alertFor(missing);
      const expected = await deliver('generic', other, signed(other));
      expect(shape(answer, at)).toBe(shape(expected, missing));
    }
    const alertmanager = (topology: number) =>
      JSON.stringify({
        version: '4',
        alerts: [
          {
            status: 'firing',
            fingerprint: 'f',
            startsAt: '2026-11-22T12:00:00Z',
            labels: { alertname: 'x', tenant: 'default', consilium_topology: String(topology) },
            annotations: {},
          },
        ],
      });
    const first = await deliver('alertmanager', alertmanager(own), acme);
    const second = await deliver('alertmanager', alertmanager(missing), acme);
    expect(shape(first, own)).toBe(shape(second, missing));
    expect([await runsOf(foreign, acme), await runsOf(own)]).toEqual([0, 0]);
  });
});
