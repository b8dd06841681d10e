import { expect, it } from '@jest/globals';
import { FORMATS } from '../../src/formats/registry.js';
import { modelScene } from '../support/model-scene.js';
import { runbookReply } from '../support/runbook-provider.js';
import type { Behaviour } from '../support/target.js';

const scene = modelScene(runbookReply);

const PASSWORD = 'canary-of-the-endpoint';
const TOKEN = 'canary-of-the-query';
const ATTRIBUTE = 'canary-of-an-attribute';
const MESSAGE = 'canary-of-the-message';
const PROVIDER = 'canary-of-the-provider';
const CANARIES = [PASSWORD, TOKEN, ATTRIBUTE, MESSAGE, PROVIDER];

/** As a target may write it. */
const written = (secret: string): string[] => [
  ...[secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')],
  ...['', 'u', 'us'].map((before) => Buffer.from(`${before}${secret}!`).toString('base64')),
];

/** What must not be found. */
const encodings = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  return [
    ...[secret, encodeURIComponent(secret), bytes.toString('hex')],
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
  const said = { authorization, url: request.url, plain: PASSWORD, of: written(PASSWORD) };
  response.writeHead(500, { 'set-cookie': `id=${ATTRIBUTE}`, 'x-echo': authorization });
  response.end(`${JSON.stringify(said)} ${ATTRIBUTE} password=${MESSAGE} ${PROVIDER}`);
};

it('no secret reaches the log, a client, a model or the API', async () => {
  const api = await scene.service({ ...scene.hosted(), OPENAI_API_KEY: PROVIDER });
  const topology = await scene.shop({}, indiscreet);
  const [shop] = topology.nodes;
  if (shop)
    Object.assign(shop, {
      endpoint: `${shop.endpoint?.replace('http://', `http://shop:${PASSWORD}@`)}?token=${TOKEN}`,
      attributes: { ...shop.attributes, apiToken: ATTRIBUTE, expectBody: 'is never there' },
    });
  await api.store(topology);
  const run = await api.trigger(topology.id, {
    userMessage: `The shop fails; its password is password=${MESSAGE}.`,
  });
  const { text, runId } = await run.end();
  expect(text).toContain('lifecycle.completed');
  const sinks: [string, string][] = [
    ['the stream', text],
    ...(await Promise.all(
      FORMATS.map(async (format): Promise<[string, string]> => {
        const stream = await api.follow(runId, {}, `?format=${format}`);
        return [format, (await stream.end()).text];
      }),
    )),
    ...(await Promise.all(
      [`/executions/${runId}`, '/executions', `/topologies/${topology.id}`, '/topologies'].map(
        async (path): Promise<[string, string]> => [path, (await api.ask('GET', path)).text],
      ),
    )),
    ['the provider', JSON.stringify(scene.server.exchanges.map(({ body }) => body))],
  ];
  expect(scene.server.exchanges.length).toBeGreaterThan(2);
  for (const [sink, shown] of sinks) expect([sink, leaked(shown)]).toEqual([sink, []]);
});
