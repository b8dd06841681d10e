import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { hasAlertmanager, startAlertmanager } from '../../support/programs/alertmanager-program.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const KEY = Buffer.from('a secret of sufficient length').toString('base64');

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let scene: Scene;
let api: Api;
let folder: string;
beforeEach(async () => {
  scene = new Scene();
  folder = await mkdtemp(join(tmpdir(), 'consilium-reports-'));
});
afterEach(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

/** A receiver that answers each request as its list says, and the last entry from then on. */
async function receiver(...answers: ((response: ServerResponse) => void)[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const answer = answers[Math.min(received.length, answers.length - 1)];
      received.push({ headers: request.headers, body });
      answer?.(response);
    });
  });
  return { url: `http://127.0.0.1:${await scene.targets.open(server)}/hook`, received };
}
const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end();

const webhook = (id: string, url: string, more: object = {}) => ({
  id,
  kind: 'webhook',
  url,
  secrets: ['${env:HOOK_SECRET}'],
  ...more,
});

async function start(destinations: object[], more: object = {}, env: Record<string, string> = {}) {
  const path = join(folder, 'reports.yaml');
  const settings = {
    retrySeconds: [0, 0, 0, 0, 0, 0, 0, 0],
    destinations,
    ...more,
  };
  await writeFile(path, JSON.stringify(settings));
  api = await scene.service({
    REPORTS_FILE: path,
    HOOK_SECRET: `whsec_${KEY}`,
    SWEEP_SECONDS: '1',
    ...env,
  });
}

async function diagnose(behaviour = erroring): Promise<string> {
  const target = await httpTarget(scene.targets, behaviour);
  const runId = await api.accept(await api.store(topologyOf({ shop: target })));
  await api.reaches(runId, 'completed');
  return runId;
}

interface State {
  destination: string;
  status: string;
  attempts: number;
  reason: string | null;
}
const states = async (runId: string) =>
  (await api.ask<{ items: State[] }>('GET', `/executions/${runId}/reports`)).data.items;
const settled = (runId: string, count = 1) =>
  until('the reports are settled', async () => {
    const all = await states(runId);
    const done = all.length === count && all.every(({ status }) => status !== 'waiting');
    return done ? all : undefined;
  });

it('sends a signed webhook once, and the same report to chats', async () => {
  const hook = await receiver(answer(204));
  const slack = await receiver(answer(200));
  const chat = await receiver(answer(200));
  await start(
    [
      webhook('hook', hook.url),
      { id: 'slack', kind: 'slack', url: '${env:SLACK_URL}' },
      { id: 'chat', kind: 'chat', url: chat.url },
      webhook('healthy', hook.url, { on: ['healthy'] }),
    ],
    { publicUrl: 'https://c.example' },
    { SLACK_URL: slack.url },
  );
  const runId = await diagnose();
  expect((await settled(runId, 3)).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);

  expect(hook.received).toHaveLength(1);
  const { headers, body } = hook.received[0] as Received;
  expect(headers).toMatchObject({ 'webhook-id': `${runId}.hook`, 'webhook-attempt': '1' });
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
  const hmac = createHmac('sha256', Buffer.from(KEY, 'base64')).update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${hmac}`);
  expect(JSON.parse(body)).toMatchObject({
    type: 'diagnosis.completed',
    data: { runId, report: { root_causes: [{ node: 'shop' }] } },
  });
  for (const { received } of [slack, chat]) {
    expect(received).toHaveLength(1);
    // By its display name, not by its id.
    expect(received[0]?.body).toMatch(/[-•] \*?The shop\*?: /);
    expect(received[0]?.body).not.toMatch(/[-•] \*?shop\*?: /);
    expect(received[0]?.body).toContain(`https://c.example/console/runs/${runId}`);
    expect(received[0]?.body).not.toContain('may have come before');
  }
  const page = await api.ask('GET', `/executions/${runId}/report.md`);
  expect(page.headers.get('content-type')).toMatch(/^text\/markdown/);
  expect(page.text).toContain('## Root causes');

  await diagnose(healthy);
  await until('the healthy run is reported', () => hook.received.length === 2);
});

it('tries again after each kind of failure, with the same id and body, and says that it repeats', async () => {
  const cut = (response: ServerResponse) => void response.socket?.resetAndDestroy();
  const silent = () => undefined;
  const endless = (response: ServerResponse) => void response.writeHead(200).write('x');
  const elsewhere = await receiver(answer(200));
  const failing = [
    answer(500),
    cut,
    silent,
    answer(302, { location: elsewhere.url }),
    answer(404),
    answer(429, { 'retry-after': '0' }),
  ];
  const hook = await receiver(...failing, endless);
  const chat = await receiver(answer(500), answer(200));
  // Short, for the answer that never comes; long enough for the others on a busy machine.
  await start([webhook('hook', hook.url), { id: 'chat', kind: 'chat', url: chat.url }], {
    timeoutSeconds: 4,
  });
  const runId = await diagnose();
  const all = await settled(runId, 2);
  expect(all.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['sent', failing.length + 1],
    ['sent', 2],
  ]);
  expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(hook.received.map(({ headers }) => headers['webhook-attempt'])).toEqual(
    Array.from({ length: failing.length + 1 }, (_, i) => String(i + 1)),
  );
  expect(elsewhere.received).toEqual([]);
  expect(chat.received.map(({ body }) => body.includes('may have come before'))).toEqual([
    false,
    true,
  ]);
});

it('gives up after the last attempt, and stops for good at 410 Gone', async () => {
  const broken = await receiver(answer(503));
  const gone = await receiver(answer(410));
  await start([webhook('broken', broken.url), webhook('gone', gone.url)], { retrySeconds: [0, 0] });
  const first = await settled(await diagnose(), 2);
  expect(first).toMatchObject([
    { status: 'failed', attempts: 3, reason: 'the destination answered 503' },
    { status: 'failed', attempts: 1, reason: expect.stringContaining('410 Gone') },
  ]);
  await settled(await diagnose(), 2);
  expect([broken.received.length, gone.received.length]).toEqual([6, 1]);
});

it('logs each failed attempt, and whether the report is sent again', async () => {
  const hook = await receiver(answer(503));
  const path = join(folder, 'reports.yaml');
  const settings = { retrySeconds: [0], destinations: [webhook('hook', hook.url)] };
  await writeFile(path, JSON.stringify(settings));
  const env = { REPORTS_FILE: path, HOOK_SECRET: KEY, SWEEP_SECONDS: '1', LOG_LEVEL: 'warn' };
  const service = await scene.process(env);
  api = service.api;
  await settled(await diagnose());
  await service.stop('SIGTERM');
  const lines = service.output().split('\n');
  const logged = lines.filter((line) => line.includes('a report was not sent'));
  expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { destination: 'hook', attempt: 1, triedAgain: true, reason: 'the destination answered 503' },
    { destination: 'hook', attempt: 2, triedAgain: false, reason: 'the destination answered 503' },
  ]);
});

it('sends a report whose process is killed while it sends, and says that it repeats', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const hold = (response: ServerResponse) => void held.then(() => response.writeHead(200).end());
  const hook = await receiver(hold, answer(200));
  const path = join(folder, 'reports.yaml');
  const settings = { timeoutSeconds: 60, destinations: [webhook('hook', hook.url)] };
  await writeFile(path, JSON.stringify(settings));
  const env = {
    REPORTS_FILE: path,
    HOOK_SECRET: KEY,
    SWEEP_SECONDS: '1',
    LOCK_MS: '2000',
    STALL_MS: '200',
  };
  const doomed = await scene.process({ ...env, ROLE: 'all' });
  api = doomed.api;
  const runId = await diagnose();
  await until('the first attempt', () => hook.received.length === 1);
  await doomed.stop('SIGKILL');
  api = await scene.service(env);
  expect(await settled(runId)).toMatchObject([{ status: 'sent' }]);
  release();
  expect(new Set(hook.received.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([`${runId}.hook`]),
  );
  expect(Number(hook.received.at(-1)?.headers['webhook-attempt'])).toBeGreaterThan(1);
});

it('gives a report back at a shutdown, without the loss of an attempt', async () => {
  const hook = await receiver(() => undefined, answer(200));
  const more = { retrySeconds: [], timeoutSeconds: 60 };
  await start([webhook('hook', hook.url)], more);
  const runId = await diagnose();
  await until('the first attempt', () => hook.received.length === 1);
  await scene.stop(api);
  await start([webhook('hook', hook.url)], more);
  expect(await settled(runId)).toMatchObject([{ status: 'sent' }]);
  expect(hook.received).toHaveLength(2);
});

if (hasAlertmanager())
  it('shows the diagnosis in a real Alertmanager', async () => {
    const sink = await receiver(answer(200));
    const alertmanager = await startAlertmanager(sink.url, 'none');
    try {
      await start([{ id: 'am', kind: 'alertmanager', url: alertmanager.url }]);
      const runId = await diagnose();
      await settled(runId);
      await until('its notification', () => sink.received.length > 0);
      expect(sink.received[0]?.body).toContain('ConsiliumDiagnosis');
      expect(sink.received[0]?.body).toContain(runId);
    } finally {
      await alertmanager.stop();
    }
  });
