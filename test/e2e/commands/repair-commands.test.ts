import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { startCommand } from '../../support/processes/command.js';
import { processManager, type ProcessManager } from '../../support/programs/process-manager.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

let scene: Scene;
let api: Api;
let folder: string;
beforeAll(async () => {
  scene = new Scene();
  folder = await mkdtemp(join(tmpdir(), 'consilium-repair-'));
  api = await scene.service();
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

/** A file with a shop that fails until its process is restarted. */
async function brokenShop(): Promise<{ file: string; manager: ProcessManager }> {
  const manager = await processManager(scene.targets);
  const { endpoint } = await httpTarget(scene.targets, (...request) =>
    (manager.restarts > 0 ? healthy : erroring)(...request),
  );
  const topology = topologyOf({ shop: { endpoint, attributes: { restartUrl: manager.url } } });
  const file = join(folder, `${topology.id}.json`);
  await writeFile(file, JSON.stringify(topology));
  return { file, manager };
}

const diagnose = (...args: string[]) => startCommand('src/cli/diagnose.ts', ...args);
const approve = (...args: string[]) =>
  startCommand('src/cli/approve.ts', ...args, '--server', api.url).ended;

describe('diagnose --repair', () => {
  it('approves with --yes, repairs, and verifies by diagnosing again', async () => {
    const { file, manager } = await brokenShop();
    const args = [file, '--repair', '--yes', '--json', '--server', api.url];
    const { code, stdout, stderr } = await diagnose(...args).ended;
    expect([code, manager.restarts]).toEqual([0, 1]);
    expect(JSON.parse(stdout)).toMatchObject({ report: { verdict: 'healthy' } });
    expect(stderr).toBe(
      '\n1 repair done. Diagnosing again to verify …\n\n\nVerified: everything is healthy after the repair.\n',
    );
  });

  it('prints the command that approves if it has no terminal, and waits for the decision', async () => {
    const { file, manager } = await brokenShop();
    const command = diagnose(file, '--repair', '--server', api.url);
    const printed = await command.printed(/npm run approve -- .*--server .*\n/);
    const [line, runId = '', id = ''] = /npm run approve -- (\S+) (\S+) --server \S+/.exec(
      printed,
    ) as string[];
    expect((await approve()).stdout).toMatch(
      new RegExp(`^Restart the process of .*\\n {2}${line}\\n`, 'm'),
    );
    expect(manager.restarts).toBe(0);
    const approved = await approve(runId, id);
    expect([approved.code, approved.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Approved: Restart the process of The shop: POST http:\/\/127\.0\.0\.1:\d+\/\S*\.\n$/,
      ),
    ]);
    const { code, stdout } = await command.ended;
    expect([code, manager.restarts]).toEqual([0, 1]);
    expect(stdout).toMatch(
      /A person has approved it: Restart the process of The shop:\s+POST http:\/\/127/,
    );
    expect(stdout).not.toContain('approved by');
    expect(stdout).toContain('Verified: everything is healthy after the repair.');
  });

  it('reports that nothing was repaired if the change is refused', async () => {
    const { file, manager } = await brokenShop();
    const command = diagnose(file, '--repair', '--server', api.url);
    const [, runId = '', id = ''] = /approve -- (\S+) (\S+)/.exec(
      await command.printed(/npm run approve -- .*\n/),
    ) as string[];
    const refused = await approve(runId, id, '--refuse', '--reason', 'at night only');
    expect(refused.stdout).toMatch(/^Refused: Restart the process of The shop: POST \S+\n$/);
    const { code, stdout } = await command.ended;
    expect([code, manager.restarts]).toEqual([1, 0]);
    expect(stdout).toContain('A person refused it: at night only');
    expect(stdout).toContain('Nothing was repaired.');
    expect((await approve(runId)).stdout).toBe('The run asks for nothing.\n');
    const { code: again, stderr } = await approve(runId, id);
    expect(again).toBe(1);
    expect(stderr).toMatch(/^The run does not ask for \S+, or it was decided\./);
  });

  it.each([
    [['x.yaml', '--yes'], '--yes approves repairs: it needs --repair.'],
    [['x.yaml', '--repair', '--capture', 'y'], '--capture records one run, and --repair makes two'],
    [['examples/incidents/own-0adb0adf', '--repair'], 'a recorded incident cannot be repaired'],
  ])('refuses %j at once', async (args, message) => {
    const { code, stdout, stderr } = await diagnose(...args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
