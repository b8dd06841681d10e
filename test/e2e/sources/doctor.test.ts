import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startCommandWith } from '../../support/processes/command.js';
import { MCP_COMMAND } from '../../support/programs/mcp-program.js';
import { closedPort } from '../../support/loopback.js';
import {
  startPrometheusReplay,
  type PrometheusReplay,
} from '../../support/sources/prometheus-replay.js';
import { testRedis } from '../../support/redis.js';

const TOKEN = 'tok-9f8e7d6c5b';

let folder = '';
let prometheus: PrometheusReplay;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-doctor-'));
  prometheus = await startPrometheusReplay([]);
  const auth = "{ bearer: '${env:PROM_TOKEN}' }";
  await writeFile(
    join(folder, 'sources.yaml'),
    `sources:\n  - { id: prom, kind: prometheus, endpoint: '${prometheus.url}', auth: ${auth} }\n`,
  );
});
afterAll(async () => {
  await prometheus.close();
  await rm(folder, { recursive: true });
});

async function doctor(variables: Record<string, string>, ...args: string[]) {
  const given = { SOURCES_FILE: join(folder, 'sources.yaml'), PROM_TOKEN: TOKEN, ...variables };
  const ended = await startCommandWith(given, 'src/cli/doctor.ts', ...args).ended;
  expect(ended.stdout + ended.stderr).not.toContain(TOKEN);
  return ended;
}

test('says which sources answer', async () => {
  const { code, stdout } = await doctor({});
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: [
      'ok          settings (variables and files)',
      'ok          TOPOLOGIES_DIR (topologies at examples/topologies)',
      `ok          prom (prometheus at ${prometheus.url})`,
      'REDIS_URL is not set: a service with ROLE=all starts a private Redis.',
      '',
    ].join('\n'),
  });
});

test('names what the service would start without: topologies, credentials of reports, the archive', async () => {
  const topologies = join(folder, 'topologies');
  await mkdir(topologies);
  const shop = { id: 1, name: 'Shop', nodes: [{ id: 'shop', sources: { prometheus: 'none' } }] };
  await writeFile(join(topologies, 'shop.json'), JSON.stringify(shop));
  const hook = {
    id: 'hook',
    kind: 'webhook',
    url: 'http://127.0.0.1/',
    secrets: ['${env:HOOK_SECRET}'],
  };
  const reports = join(folder, 'reports.json');
  await writeFile(reports, JSON.stringify({ destinations: [hook] }));
  const alerts = join(folder, 'alerts.json');
  await writeFile(alerts, JSON.stringify({ secrets: { pagerduty: ['${env:PD_SECRET}'] } }));
  const variables = {
    TOPOLOGIES_DIR: topologies,
    ALERTS_FILE: alerts,
    REPORTS_FILE: reports,
    ARCHIVE_DIR: join(reports, 'archive'),
  };
  const { code, stdout } = await doctor(variables, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { id: 'settings', state: 'ok' },
    {
      id: 'TOPOLOGIES_DIR',
      state: 'failed',
      detail: expect.stringMatching(/^shop\.json: nodes\[0\]/),
    },
    {
      id: 'ALERTS_FILE',
      state: 'failed',
      detail: 'pagerduty: the credential ${env:PD_SECRET} is missing or empty',
    },
    {
      id: 'REPORTS_FILE',
      state: 'failed',
      detail: 'hook: the credential ${env:HOOK_SECRET} is missing or empty',
    },
    {
      id: 'ARCHIVE_DIR',
      state: 'failed',
      detail: expect.stringMatching(/^no logs can be written: ENOTDIR/),
    },
    { id: 'prom', state: 'ok' },
  ]);

  const service = startCommandWith(
    { ...variables, PORT: '0', SHUTDOWN_GRACE_SECONDS: '0' },
    'src/main.ts',
  );
  try {
    const said = await service.printed(/listens on http/);
    expect(said).toContain('Warning: ALERTS_FILE: pagerduty: the credential ${env:PD_SECRET}');
    expect(said).toContain('Warning: REPORTS_FILE: hook: the credential ${env:HOOK_SECRET}');
    expect(said).toContain('Warning: ARCHIVE_DIR: no logs can be written: ENOTDIR');
  } finally {
    service.child.kill('SIGKILL');
    await service.ended;
  }
});

test('leaves no folder behind where it has tried to write', async () => {
  const parent = join(folder, 'made');
  const { code, stdout } = await doctor({ ARCHIVE_DIR: join(parent, 'logs') });
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('ok          ARCHIVE_DIR (archive at'),
  ]);
  expect(existsSync(parent)).toBe(false);
});

test('says what is refused, and what that hides', async () => {
  prometheus.answerNext(403, '{}');
  const { code, stdout } = await doctor({}, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { id: 'settings' },
    { id: 'TOPOLOGIES_DIR' },
    { state: 'refused', detail: expect.stringContaining('no metrics') as unknown },
  ]);
});

test('judges the Redis as a start of the service does', async () => {
  const redis = testRedis();
  try {
    const { host } = new URL(redis.url);
    const { stdout } = await doctor({ REDIS_URL: redis.url }, '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'settings', state: 'ok' },
      { id: 'TOPOLOGIES_DIR', state: 'ok' },
      { id: 'REDIS_URL', kind: 'redis', endpoint: host, state: 'ok' },
      { id: 'prom', state: 'ok' },
    ]);
    const closed = await closedPort();
    const url = `redis://:${TOKEN}@127.0.0.1:${closed}`;
    const { code, stdout: text } = await doctor({ REDIS_URL: url });
    expect(code).toBe(1);
    expect(text).toContain(`unreachable REDIS_URL (redis at 127.0.0.1:${closed})`);
  } finally {
    await redis.close();
  }
});

test('names every fault of the variables and of their files', async () => {
  const rules = join(folder, 'alerts.yaml');
  await writeFile(rules, 'routes: 7\n');
  const { code, stderr } = await doctor({ ALERTS_FILE: rules, MAX_OPEN_RUNS: 'many' });
  expect(code).toBe(2);
  for (const named of ['alerts.yaml:1 routes', 'MAX_OPEN_RUNS']) expect(stderr).toContain(named);
});

test('names the tools that an MCP server does not offer as they were approved', async () => {
  const [listed, tools] = [join(folder, 'mcp.yaml'), join(folder, 'tools')];
  await writeFile(
    listed,
    `sources:\n  - { id: every, kind: mcp, command: ${JSON.stringify(MCP_COMMAND)} }\n`,
  );
  await mkdir(tools);
  const file = (tool: string) =>
    `description: x\nkinds: [service]\nmeasures: records\nmcp: { source: every, tool: ${tool}, definition: 'sha256:${'0'.repeat(64)}' }\n`;
  await writeFile(join(tools, 'changed.yaml'), file('echo'));
  await writeFile(join(tools, 'gone.yaml'), file('gone'));
  const { code, stdout } = await doctor({ SOURCES_FILE: listed, TOOLS_DIR: tools });
  expect(code).toBe(1);
  expect(stdout).toMatch(/changed of TOOLS_DIR fails: .* sha256:[1-9a-f]/);
  expect(stdout).toContain('gone of TOOLS_DIR fails: every has no tool gone.');
});

test('cannot check with a file that is missing', async () => {
  const missing = join(folder, 'missing.yaml');
  const { code, stderr } = await doctor({ SOURCES_FILE: missing, ALERTS_FILE: missing });
  expect(code).toBe(2);
  for (const variable of ['SOURCES_FILE', 'ALERTS_FILE'])
    expect(stderr).toContain(`${variable}=${missing}: there is no such file`);
});
