import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { FORMATS } from '../../src/formats/registry.js';
import { modelScene } from '../support/models/model-scene.js';
import { OtlpReceiver } from '../support/programs/otlp-receiver.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { httpTarget, type Behaviour } from '../support/processes/target.js';
import { until } from '../support/until.js';

const scene = modelScene(runbookReply);

const PASSWORD = 'canary-of-the-endpoint';
const TOKEN = 'canary-of-the-query';
const ATTRIBUTE = 'canary-of-an-attribute';
const MESSAGE = 'canary-of-the-message';
const PROVIDER = 'canary-of-the-provider';
const REFERRED = 'canary-of-a-reference';
const DESTINATION = 'canary-of-a-destination';
const CANARIES = [PASSWORD, TOKEN, ATTRIBUTE, MESSAGE, PROVIDER, REFERRED, DESTINATION];
const KINDS = ['webhook', 'slack', 'chat', 'alertmanager'];

/** As a target may write it. */
const written = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  ...['', 'u', 'us'].map((before) => Buffer.from(`${before}${secret}!`).toString('base64')),
];

/** What must not be found. */
const encodings = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...[0, 1, 2].map((before) =>
      Buffer.concat([Buffer.from('user:'.slice(0, before)), bytes])
        .toString('base64')
        .slice(4, -4),
    ),
  ];
};

/** What a sink has of any canary. */
const leaked = (text: string): string[] =>
  CANARIES.flatMap(encodings).filter((form) => text.includes(form));

/** A target that answers with everything that it was sent, and with its own secrets. */
const indiscreet: Behaviour = (response, _hit, request) => {
  const { authorization = '' } = request.headers;
  const said = {
    authorization,
    url: request.url,
    plain: PASSWORD,
    of: [...written(PASSWORD), ...written(REFERRED)],
  };
  response.writeHead(500, { 'set-cookie': `id=${ATTRIBUTE}`, 'x-echo': authorization });
  response.end(`${JSON.stringify(said)} ${ATTRIBUTE} password=${MESSAGE} ${PROVIDER}`);
};

/** Everything that Redis keeps of this test. */
async function kept(redis: Redis, prefix: string): Promise<string> {
  const keys = await redis.keys(`*${prefix}*`);
  const values = keys.map(async (key) => {
    switch (await redis.type(key)) {
      case 'string':
        return redis.get(key);
      case 'hash':
        return redis.hgetall(key);
      case 'list':
        return redis.lrange(key, '0', '-1');
      case 'stream':
        return redis.xrange(key, '-', '+');
      case 'zset':
        return redis.zrange(key, '0', '-1');
      default:
        return redis.smembers(key);
    }
  });
  return JSON.stringify([keys, await Promise.all(values)]);
}

/** Receives reports. @returns its address, which is a secret, and the bodies that it received */
async function reportsReceiver() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(200).end();
    });
  });
  return { url: `http://127.0.0.1:${await scene.targets.open(server)}/${DESTINATION}`, bodies };
}

/** REPORTS_FILE: one destination of each kind. */
const reportsFile = (): string => {
  const destinations = KINDS.map((kind) => ({
    id: kind,
    kind,
    url: '${env:DESTINATION}',
    ...(kind === 'webhook' && { secrets: ['${env:HOOK_SECRET}'] }),
  }));
  return scene.write('reports.yaml', JSON.stringify({ destinations }));
};

it('H7: no secret reaches the log, a client, a model, the API, Redis, a report, a trace or the log of the process', async () => {
  const reports = await reportsReceiver();
  const collector = await OtlpReceiver.start();
  const key = randomBytes(32).toString('base64');
  const secret = scene.write('secrets/default/SHOP', `${REFERRED}\n`);
  // In a process of its own, whose log is read.
  const service = await scene.scene.process({
    ...scene.hosted(),
    OPENAI_API_KEY: PROVIDER,
    LOG_LEVEL: 'trace',
    REPORTS_FILE: reportsFile(),
    DESTINATION: reports.url,
    HOOK_SECRET: `whsec_${Buffer.from(DESTINATION).toString('base64')}`,
    SWEEP_SECONDS: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    SECRETS_DIR: dirname(dirname(secret)),
    SECRETS_KEYS_FILE: scene.write(
      'keys',
      `k1:${key}
`,
    ),
  });
  const { api } = service;
  const topology = await scene.shop({}, indiscreet);
  const [shop] = topology.nodes;
  if (shop)
    Object.assign(shop, {
      endpoint: `${shop.endpoint?.replace('http://', `http://shop:${PASSWORD}@`)}?token=${TOKEN}`,
      attributes: { ...shop.attributes, apiToken: ATTRIBUTE, expectBody: 'is never there' },
    });
  const authorizations: (string | undefined)[] = [];
  const other = await httpTarget(scene.targets, (response, hit, request) => {
    authorizations.push(request.headers.authorization);
    return indiscreet(response, hit, request);
  });
  const endpoint = other.endpoint.replace('http://', 'http://shop:${secret:SHOP}@');
  topology.nodes.push({ ...(shop as object), id: 'other', name: 'Other', endpoint } as never);
  await api.store(topology);
  const run = await api.trigger(topology.id, {
    userMessage: `The shop fails; its password is password=${MESSAGE}.`,
  });
  const { text, runId } = await run.end();
  expect(text).toContain('lifecycle.completed');
  await until(
    'the reports and the trace are sent',
    () => reports.bodies.length >= KINDS.length && collector.spans.length > 0,
  );
  // What is refused is logged, too.
  await api.ask('POST', `/topologies?token=${TOKEN}`, { body: { ...topology, nodes: [shop, 7] } });
  await api.ask('GET', `/executions?q=${PASSWORD}`, { headers: { cookie: `id=${ATTRIBUTE}` } });
  const sinks: [string, string][] = [
    ['the stream', text],
    ...(await Promise.all(
      FORMATS.map(async (format): Promise<[string, string]> => {
        const stream = await api.follow(runId, {}, `?format=${format}`);
        return [format, (await stream.end()).text];
      }),
    )),
    ...(await Promise.all(
      [
        `/executions/${runId}`,
        `/executions/${runId}/report.md`,
        `/executions/${runId}/postmortem.md`,
        `/executions/${runId}/reports`,
        '/executions',
        `/topologies/${topology.id}`,
        '/topologies',
      ].map(async (path): Promise<[string, string]> => [path, (await api.ask('GET', path)).text]),
    )),
    ['Redis', await kept(scene.scene.redis.redis, scene.scene.redis.prefix)],
    ['the reports', JSON.stringify(reports.bodies)],
    ['the traces', JSON.stringify(collector.requests.map(({ body }) => body))],
    ['the provider', JSON.stringify(scene.server.exchanges.map(({ body }) => body))],
  ];
  expect(reports.bodies.filter((body) => body.includes(runId))).not.toEqual([]);
  await service.stop('SIGTERM');
  await collector.close();
  expect(service.output()).toContain('"msg":"request completed"');
  sinks.push(['the log of the process', service.output()]);
  expect(scene.server.exchanges.length).toBeGreaterThan(2);
  const sent = Buffer.from(`shop:${REFERRED}`).toString('base64');
  expect(authorizations).toContain(`Basic ${sent}`);
  for (const [sink, shown] of sinks) expect([sink, leaked(shown)]).toEqual([sink, []]);
});
