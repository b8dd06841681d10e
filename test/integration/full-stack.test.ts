import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../src/client/index.js';
import { startCommandWith } from '../support/processes/command.js';
import { freePort } from '../support/programs/prometheus-program.js';
import { Scene } from '../support/scene.js';
import { until } from '../support/until.js';

const at = (path: string) => new URL(`../../examples/playground/${path}`, import.meta.url);
const SCRIPT = at('playground.mjs').pathname;
const { FAULTS } = (await import(at('faults.mjs').href)) as {
  FAULTS: Record<string, { node: string | null; kind?: string; needs?: string[] }>;
};
const { findPrograms } = (await import(at('full/find-programs.mjs').href)) as {
  findPrograms: () => Record<string, { missing?: string }>;
};
const PROGRAMS = findPrograms();
const isThere = (part: string) => PROGRAMS[part]?.missing === undefined;

let shop: ChildProcess | undefined;
let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
  if (shop?.exitCode === null && shop.signalCode === null) {
    shop.kill('SIGINT');
    await once(shop, 'exit');
  }
  shop = undefined;
});

/**
 * Starts the playground as a user would.
 * @returns the file of its topology and that of its sources
 */
async function open(fault: string, parts: readonly string[], ...more: string[]) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const args = ['--fault', fault, '--stack', 'full', '--only', parts.join(','), ...more];
  shop = spawn(process.execPath, [SCRIPT, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { stdout, stderr } = shop;
  if (stdout === null || stderr === null) throw new Error('the playground has no output');
  let said = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  for await (const line of createInterface({ input: stdout })) {
    const [, sources, topology] = /^Diagnose: SOURCES_FILE=(\S+) .* -- (\S+)$/.exec(line) ?? [];
    if (sources !== undefined && topology !== undefined) return { sources, topology, said };
  }
  throw new Error(`The playground ended before it was open: ${said}`);
}

async function diagnose(fault: string, parts: readonly string[]) {
  const { sources, topology } = await open(fault, parts);
  const variables = { SOURCES_FILE: sources };
  const { stdout } = await startCommandWith(variables, 'src/cli/diagnose.ts', topology, '--json')
    .ended;
  return (JSON.parse(stdout) as RunRecord).report;
}

// A fault whose programs are not found (docs/playground.md names the packages) cannot be injected.
describe('the full stack of the playground', () => {
  const faults = Object.entries(FAULTS).filter(([, { needs }]) => needs?.every(isThere) === true);

  test.each(faults.map(([fault, what]) => ({ fault, ...what })))(
    'with the fault $fault is diagnosed',
    async ({ fault, node, kind, needs = [] }) => {
      const report = await diagnose(fault, needs);
      expect(report?.root_causes).toMatchObject([{ node, kind }]);
      // The change that brought it, where there is one.
      const [cause] = report?.root_causes ?? [];
      if (fault === 'bad-deploy')
        expect(cause).toMatchObject({
          title: expect.stringContaining('Store the currency of an order') as unknown,
          change: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
        });
    },
  );

  test('without a fault is healthy', async () => {
    const parts = ['postgres', 'prometheus', 'git'].filter(isThere);
    expect(await diagnose('none', parts)).toMatchObject({ verdict: 'healthy', unchecked: [] });
  });

  if (isThere('prometheus'))
    test('sends its alerts to a service, which then runs a diagnosis of the fault', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const { sources, topology } = await open('redis-full', ['prometheus'], '--alerts', url);
      scene = new Scene();
      const api = await scene.service({
        PORT: new URL(url).port,
        SOURCES_FILE: sources,
        TOPOLOGIES_DIR: dirname(topology),
      });
      const { runId } = await until('a run', async () => {
        const { data } = await api.ask<{ items: { runId: string }[] }>('GET', '/executions');
        return data.items[0];
      });
      await api.reaches(runId, 'completed');
      expect((await api.show(runId)).report?.root_causes).toMatchObject([
        { node: 'payments-redis', kind: FAULTS['redis-full']?.kind },
      ]);
      const { data } = await api.ask<{ items: object[] }>('GET', `/executions/${runId}/alerts`);
      expect(data.items).toContainEqual(expect.objectContaining({ name: 'RequestsFail' }));
    });

  test('says which part it leaves out, and which fault it cannot inject', async () => {
    const args = [SCRIPT, '--fault', 'bad-deploy'];
    const env = { PATH: '/nowhere' };
    shop = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    shop.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    expect(await once(shop, 'close')).toEqual([1, null]);
    expect(said).toContain('Without git: not found (Debian: apt-get install git).');
    expect(said).toMatch(/The fault bad-deploy needs .*git\./);
  });
});
