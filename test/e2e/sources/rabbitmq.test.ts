import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import {
  hasRabbitmq,
  type RabbitmqProgram,
  startRabbitmq,
} from '../../support/programs/rabbitmq-program.js';
import { until } from '../../support/until.js';

// Without RabbitMQ (Debian: apt-get install rabbitmq-server) there is nothing to diagnose.
(hasRabbitmq() ? describe : describe.skip)('a real RabbitMQ', () => {
  let folder = '';
  let server: RabbitmqProgram;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'consilium-rabbitmq-'));
    server = await startRabbitmq();
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function diagnose(...args: string[]) {
    const file = join(folder, 'shop.json');
    const listed = join(folder, 'sources.yaml');
    const node = { id: 'orders-mq', name: 'Orders queue', kind: 'rabbitmq', in: { mq: '*' } };
    const nodes = [{ ...node, attributes: { queueMessages: 10 } }];
    const sources = [{ id: 'mq', kind: 'rabbitmq' }];
    await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', nodes, sources }));
    await writeFile(
      listed,
      `sources:\n  - { id: mq, kind: rabbitmq, endpoint: '${server.url}', auth: { user: guest, password: '\${env:MQ_PASSWORD}' } }\n`,
    );
    const variables = { SOURCES_FILE: listed, MQ_PASSWORD: 'guest' };
    const ended = await startCommandWith(
      variables,
      'src/cli/diagnose.ts',
      ...[file, '--json', ...args],
    ).ended;
    return (JSON.parse(ended.stdout) as RunRecord).report;
  }

  test('that is well is healthy', async () => {
    expect(await diagnose()).toMatchObject({ verdict: 'healthy', unchecked: [] });
  });

  test('with a queue without a consumer is the root cause, also in a capture of the diagnosis', async () => {
    await server.ask('PUT', '/queues/%2f/orders', { durable: false });
    const message = { properties: {}, routing_key: 'orders', payload: 'x' };
    const publish = { ...message, payload_encoding: 'string' };
    for (let i = 0; i < 20; i += 1)
      await server.ask('POST', '/exchanges/%2f/amq.default/publish', publish);
    await until('the messages are counted', async () => {
      const queue = (await server.ask('GET', '/queues/%2f/orders')) as {
        messages_ready?: number;
      };
      return queue.messages_ready === 20;
    });
    const bundle = join(folder, 'no-consumer');
    const found = {
      verdict: 'root_cause_found',
      root_causes: [{ node: 'orders-mq', kind: 'queue-lag' }],
    };
    expect(await diagnose('--capture', bundle)).toMatchObject(found);
    const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
    expect((JSON.parse(replay.stdout) as RunRecord).report).toMatchObject(found);
  });
});
