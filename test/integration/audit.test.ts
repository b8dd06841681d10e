import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { closedPort } from '../support/loopback.js';

const SCRIPT = join(import.meta.dirname, '../../scripts/audit.mjs');
const LATER = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const ID = 'GHSA-aaaa-bbbb-cccc';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-audit-'));
  const project = { name: 'p', version: '1.0.0', dependencies: { shipped: '1.0.0' } };
  const root = { ...project, devDependencies: { tool: '1.0.0' } };
  const packages = {
    '': root,
    'node_modules/shipped': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  };
  await mkdir(join(folder, '.ci'));
  await writeFile(join(folder, 'package.json'), JSON.stringify(root));
  const lock = { ...project, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the script of CI with the npm of this machine. */
const auditOn = (registry: string) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const env = {
      ...process.env,
      npm_config_registry: registry,
      npm_config_cache: join(folder, 'cache'),
      npm_config_fetch_retries: '0',
      npm_config_audit: 'true',
    };
    execFile(process.execPath, [SCRIPT], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });

/** As `auditOn`, with a registry that knows one vulnerability. */
async function auditWith(name: string, severity: string, exceptions: object[] = []) {
  if (exceptions.length > 0)
    await writeFile(join(folder, '.ci/audit-exceptions.json'), JSON.stringify(exceptions));
  const url = `https://github.com/advisories/${ID}`;
  const advisory = { id: 1, url, title: 'Broken', severity, vulnerable_versions: '<2' };
  const server = createServer(({ url: path }, response) => {
    const isBulk = path?.endsWith('/advisories/bulk');
    const known = { name, versions: { '1.0.0': { name, version: '1.0.0' } } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isBulk ? { [name]: [advisory] } : known));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await auditOn(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
  }
}

test.each(['high', 'critical'])(
  'fails on a %s vulnerability of what is shipped',
  async (severity) =>
    expect(await auditWith('shipped', severity)).toEqual({
      code: 1,
      output: expect.stringMatching(
        new RegExp(`^FAILED  ${severity}  shipped: Broken \\(\\S+${ID}\\)\\n.*1 known, 1 to be`),
      ) as unknown,
    }),
);

test.each([
  ['shipped', 'moderate'],
  ['tool', 'critical'],
])('only prints one of %s that is %s', async (name, severity) =>
  expect(await auditWith(name, severity)).toEqual({
    code: 0,
    output: expect.stringMatching(new RegExp(`^noted   ${severity}  ${name}: Broken`)) as unknown,
  }),
);

test('accepts one with a reason until its date', async () => {
  const exception = { id: ID, reason: 'It is not called.', until: LATER };
  const accepted = await auditWith('shipped', 'high', [exception]);
  expect(accepted).toEqual({
    code: 0,
    output: expect.stringContaining(`accepted until ${LATER}: It is not called.`) as unknown,
  });
  const ended = await auditWith('shipped', 'high', [{ ...exception, until: '2026-01-01' }]);
  expect(ended).toEqual({
    code: 1,
    output: expect.stringContaining('no longer accepted since 2026-01-01') as unknown,
  });
  const other = { ...exception, id: 'GHSA-other' };
  const both = await auditWith('shipped', 'high', [exception, other]);
  expect([both.code, both.output]).toEqual([
    0,
    expect.stringContaining('GHSA-other, which is not'),
  ]);
  const unreasoned = await auditWith('shipped', 'high', [{ id: ID, until: LATER }]);
  expect([unreasoned.code, unreasoned.output]).toEqual([1, expect.stringContaining('a reason')]);
});

test('checks nothing if the registry does not answer, or has no such service', async () => {
  const silent = await auditOn(`http://127.0.0.1:${await closedPort()}/`);
  expect(silent).toEqual({
    code: 0,
    output: expect.stringMatching(/^Vulnerabilities are not checked: /) as unknown,
  });
  const server = createServer((_, response) => response.writeHead(405).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const without = await auditOn(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  server.close();
  expect([without.code, without.output]).toEqual([0, expect.stringContaining('are not checked')]);
});
