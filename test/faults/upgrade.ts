/**
 * `npm run test:upgrade -- [--from COMMIT] [--seconds N]`: a rolling update under load. Builds an
 * earlier commit (by default the last tag, or the hundredth commit before this one) in a temporary
 * folder and runs it and this version on one Redis: first the earlier one alone, then both, then
 * this one alone. Clients start runs and follow them all the time, over whichever process answers.
 * Every accepted run must complete, and its stream must be valid by the contract; exits with 1
 * otherwise.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPrivateRedis } from '../../src/local/private-redis.js';
import { check } from '../contract/check-stream.mjs';
import { Loopback } from '../support/loopback.js';
import { httpTarget, slow } from '../support/processes/target.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { PatientClient } from './lib/patient-client.js';
import { VersionProcess } from './lib/version-process.js';

const ROOT = join(import.meta.dirname, '../..');
const CLIENTS = 8;
/** Time after the load until every run must have ended; ms. */
const END_MS = 60_000;

const { values } = parseArgs({
  options: { from: { type: 'string' }, seconds: { type: 'string', default: '20' } },
});
const phaseMs = Number(values.seconds) * 1_000;
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(7)} s  ${line}`);

/** Builds an earlier commit. @returns its folder */
async function build(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'consilium-upgrade-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const lock = (of: string) => readFile(join(of, 'package-lock.json'), 'utf8');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await lock(folder)) === (await lock(ROOT)))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // Not `npm ci`: the lock file of an early commit has the packages of one platform only.
  else run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
  run('npm', 'run', '--silent', 'build');
  return folder;
}

const before =
  git('rev-list', '-1', '--before=1 day ago', 'HEAD') || git('rev-list', '--max-parents=0', 'HEAD');
const commit = git('rev-parse', '--short', values.from ?? before);
say(`building ${commit} and this version`);
const old = { name: commit, folder: await build(commit) };
const fresh = { name: 'this version', folder: ROOT };
execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });

const redis = await startPrivateRedis();
const targets = new Loopback();
const env = {
  REDIS_URL: redis.url,
  REDIS_PREFIX: 'upgrade',
  LOG_LEVEL: 'error',
  TOPOLOGIES_DIR: join(ROOT, 'test/support'),
  SHUTDOWN_GRACE_SECONDS: '2',
  PROBES_PER_SECOND_PER_HOST: '1000',
  PROBE_CONNECTIONS_PER_HOST: '100',
};
const processes: VersionProcess[] = [];
const problems: string[] = [];
const start = async (version: typeof old, role: 'api' | 'worker') => {
  const node = await VersionProcess.start(version, role, env);
  processes.push(node);
  say(`${version.name}: ${role} started`);
  return node;
};
const end = async (node: VersionProcess) => {
  const code = await node.end();
  say(`${node.version}: ${node.role} ended with ${code}`);
  if (code !== 0) problems.push(`${node.version}: ${node.role} ended with ${code}:\n${node.said}`);
};

const over = new AbortController();
const anyApi = () => {
  const alive = processes.filter((node) => node.role === 'api' && node.isAlive);
  return alive[Math.floor(Math.random() * alive.length)]?.url;
};
const client = new PatientClient(anyApi, over.signal);
const logs = new Map<string, string>();
let loading = true;

async function load(): Promise<void> {
  while (loading) {
    const body = { topologyId: 1, userMessage: 'Is anything wrong?' };
    const runId = await client.trigger(body, randomUUID());
    logs.set(runId, '');
    await client.follow(runId, (log) => logs.set(runId, log));
  }
}

try {
  const [api, ...workers] = await Promise.all([
    start(old, 'api'),
    start(old, 'worker'),
    start(old, 'worker'),
  ]);
  const nodes = ['web', 'shop', 'db', 'cache'].map(async (name) => [
    name,
    await httpTarget(targets, slow(300)),
  ]);
  const topology = teamOfEach(Object.fromEntries((await Promise.all(nodes)) as [string, object][]));
  await client.createTopology({ ...topology, id: 1 });
  const clients = Array.from({ length: CLIENTS }, load);
  await sleep(phaseMs);
  await start(fresh, 'api');
  await start(fresh, 'worker');
  await sleep(phaseMs);
  // The API first, then the workers, one after the other.
  await end(api);
  for (const worker of workers) {
    await start(fresh, 'worker');
    await end(worker);
  }
  await sleep(phaseMs);
  loading = false;
  const patience = setTimeout(() => over.abort(new Error('runs have not ended')), END_MS);
  const failed = await Promise.allSettled(clients);
  clearTimeout(patience);
  for (const one of failed) if (one.status === 'rejected') problems.push(String(one.reason));
} finally {
  loading = false;
  await Promise.all(processes.filter(({ isAlive }) => isAlive).map(end));
  await targets.close();
  await redis.stop();
  await rm(old.folder, { recursive: true, force: true });
}

for (const [runId, log] of logs) {
  const { problems: found, events } = check(log);
  const last = events.at(-1);
  if (found.length > 0) problems.push(`${runId}: ${found.slice(0, 3).join('; ')}`);
  else if (last?.key !== 'lifecycle.completed' || last.data['partial'] === true)
    problems.push(`${runId}: ended with ${last?.key} ${JSON.stringify(last?.data).slice(0, 300)}`);
}
const resumed = [...logs.values()].filter((log) => log.includes('AGENT_RESUMED')).length;
say(`${logs.size} runs, ${resumed} with an agent whose process was lost`);
for (const problem of problems) console.log(`PROBLEM: ${problem}`);
console.log(problems.length === 0 ? 'nothing was lost' : `${problems.length} problems`);
process.exitCode = problems.length === 0 && logs.size > 0 ? 0 : 1;
