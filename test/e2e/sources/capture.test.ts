import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import { startCommand } from '../../support/processes/command.js';
import { withoutRun } from '../../support/incidents/without-run.js';

// Starts a shop of seven processes, and a service for each diagnosis.
const PLAYGROUND = new URL('../../../examples/playground/playground.mjs', import.meta.url).pathname;

let folder = '';
let shop: ChildProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-capture-'));
});
afterAll(async () => {
  await closeShop();
  await rm(folder, { recursive: true });
});

/** @returns the topology file of a playground with a fault in it */
async function openShop(fault: string): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  shop = spawn(process.execPath, [PLAYGROUND, '--fault', fault], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: shop.stdout as NodeJS.ReadableStream })) {
    const file = /^Topology: (.*)$/.exec(line)?.[1];
    if (file !== undefined) return file;
  }
  throw new Error('The playground ended before it was open.');
}

async function closeShop(): Promise<void> {
  if (shop?.exitCode === null && shop.signalCode === null) {
    shop.kill('SIGINT');
    await once(shop, 'exit');
  }
}

async function reportOf(...args: string[]): Promise<Report> {
  const { stdout, stderr } = await startCommand('src/cli/diagnose.ts', ...args, '--json').ended;
  expect(stderr).not.toContain('Error');
  return (JSON.parse(stdout) as RunRecord).report as Report;
}

test('a captured diagnosis gives an equal report when it is replayed without the system', async () => {
  const bundle = join(folder, 'redis-full');
  const live = await reportOf(await openShop('redis-full'), '--capture', bundle);
  await closeShop();
  const replayed = await reportOf(bundle);
  expect(live.root_causes[0]?.node).toBe('payments-redis');
  expect(withoutRun(replayed)).toEqual(withoutRun(live));
  const incident = await readFile(join(bundle, 'incident.yaml'), 'utf8');
  expect(incident).toContain('schema: consilium/incident@1');
});

test('a topology whose endpoint has credentials is captured without them, and replayed', async () => {
  const file = join(folder, 'web.json');
  const ill = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(ill, 'listening');
  const web = `127.0.0.1:${(ill.address() as AddressInfo).port}/health?token=hunter22x`;
  const nodes = [
    { id: 'web', name: 'Web', kind: 'service', endpoint: `http://app:hunter22x@${web}` },
  ];
  await writeFile(file, JSON.stringify({ id: 4, name: 'Shop', nodes }));
  const bundle = join(folder, 'web');
  const { code, stdout, stderr } = await startCommand(
    'src/cli/diagnose.ts',
    ...[file, '--capture', bundle, '--json'],
  ).ended;
  ill.close();
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Captured in'),
  });
  for (const name of ['topology.yaml', 'incident.yaml', 'recordings/probes.ndjson'])
    expect(await readFile(join(bundle, name), 'utf8')).not.toContain('hunter22x');
  const live = (JSON.parse(stdout) as RunRecord).report as Report;
  expect(withoutRun(await reportOf(bundle))).toEqual(withoutRun(live));
});

test('refuses a folder that holds something', async () => {
  const { code, stderr } = await startCommand(
    'src/cli/diagnose.ts',
    ...['examples/topologies', '--capture', folder],
  ).ended;
  expect(code).toBe(2);
  expect(stderr).toContain('is not empty');
});
