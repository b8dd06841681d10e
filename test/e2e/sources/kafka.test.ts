import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import { hasKcat, startKcat } from '../../support/programs/kafka-program.js';
import { healthyKafka } from '../../support/programs/healthy-kafka.js';
import { KAFKA_PASSWORD } from '../../support/sources/look-at-kafka.js';
import { Loopback } from '../../support/loopback.js';
import { scriptedKafka } from '../../support/sources/scripted-kafka.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-kafka-'));
});
afterAll(() => rm(folder, { recursive: true }));

const reportIn = (stdout: string) => (JSON.parse(stdout) as RunRecord).report;

async function write(name: string, topology: object): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', ...topology }));
  return file;
}

describe('a Kafka that wants a sign-in', () => {
  const loopback = new Loopback();
  const user = { name: 'monitor', password: KAFKA_PASSWORD, mechanism: 'SCRAM-SHA-512' };
  const script = { ...healthyKafka(), user };
  let listed = '';
  beforeAll(async () => {
    const { ports } = await scriptedKafka(loopback, script);
    listed = join(folder, 'sources.yaml');
    await writeFile(
      listed,
      `sources:\n  - { id: bus, kind: kafka, endpoint: 'kafka://127.0.0.1:${ports[0]}', auth: { user: monitor, password: '\${env:BUS_PASSWORD}', mechanism: SCRAM-SHA-512 } }\n`,
    );
  });
  afterAll(() => loopback.close());

  async function diagnose(password: string, ...args: string[]) {
    const file = await write('shop.json', {
      nodes: [{ id: 'orders-bus', name: 'Orders bus', kind: 'kafka', in: { bus: 'mailer' } }],
      sources: [{ id: 'bus', kind: 'kafka' }],
    });
    const variables = { SOURCES_FILE: listed, BUS_PASSWORD: password };
    const all = [file, '--json', ...args];
    const { stdout } = await startCommandWith(variables, 'src/cli/diagnose.ts', ...all).ended;
    expect(stdout).not.toContain(password);
    return reportIn(stdout);
  }

  test('is healthy, and unchecked where it refuses the credential', async () => {
    expect(await diagnose(KAFKA_PASSWORD)).toMatchObject({ verdict: 'healthy', unchecked: [] });
    expect(await diagnose('another-password')).toMatchObject({
      unchecked: [{ node: 'orders-bus', reason: 'FORBIDDEN' }],
    });
  });

  test('with a group without a consumer is the root cause, also in a capture', async () => {
    script.groups['mailer'] = { at: 2, state: 'Empty', offsets: { 'orders-0': 10 } };
    const bundle = join(folder, 'no-consumer');
    const found = {
      verdict: 'root_cause_found',
      root_causes: [{ node: 'orders-bus', kind: 'queue-lag' }],
    };
    expect(await diagnose(KAFKA_PASSWORD, '--capture', bundle)).toMatchObject(found);
    const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
    expect(reportIn(replay.stdout)).toMatchObject(found);
  });
});

// Without kcat (Debian: apt-get install kcat) there is no cluster that another program runs.
if (hasKcat())
  test('the mock cluster of librdkafka is healthy', async () => {
    const kafka = await startKcat();
    kafka.write('orders', 0, 'one');
    const nodes = [{ id: 'bus', name: 'Bus', kind: 'kafka', endpoint: kafka.brokers }];
    const file = await write('mock.json', { nodes });
    const { stdout } = await startCommand('src/cli/diagnose.ts', file, '--json').ended;
    await kafka.stop();
    expect(reportIn(stdout)).toMatchObject({ verdict: 'healthy', unchecked: [] });
  });
