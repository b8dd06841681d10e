import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HurtRedis } from '../faults/lib/hurt-redis.js';
import { inTurn, pause, startProviderServer } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { erroring, healthy, httpTarget } from '../support/processes/target.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { describeLoad, type LoadSample } from './load-report.js';
import { MixedClients } from './mixed-clients.js';
import { ServiceGroup } from './service-group.js';

const SAMPLE_MS = 15_000;
/** Between two faults; ms. */
const FAULT_MS = 10_000;
/** After the load, until all must have ended; ms. */
const END_MS = 180_000;
/** Of the model, over all processes; its provider takes 100 ms for an answer. */
const LIMITS = { concurrency: 8, requestsPerMinute: 2_400 };

/**
 * Mixed load on three API and six worker processes: runs with two followers each, chats and alerts
 * on a model that speaks the wire of a provider and has limits, while processes are killed and
 * ended, connections to Redis are cut, and Redis is killed. Agents park for the model all the time,
 * since its limits are low. Nothing that was accepted may be lost.
 * @returns what was lost or went wrong
 */
export async function mixedLoad(minutes: number, say: (line: string) => void): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'consilium-scale-'));
  const provider = await startProviderServer();
  provider.otherwise = inTurn(pause(100), runbookReply);
  const model = { name: 'wire', provider: 'openai-compatible', model: 'm', ...LIMITS };
  const models = { models: [{ ...model, baseUrl: `${provider.url}/v1`, contextWindow: 128_000 }] };
  await writeFile(join(folder, 'models.yaml'), JSON.stringify(models));
  const redis = await HurtRedis.start();
  const proxy = await TcpProxy.to(redis.url);
  const group = await ServiceGroup.start(
    [...Array<'api'>(3).fill('api'), ...Array<'worker'>(6).fill('worker')],
    {
      REDIS_URL: proxy.url,
      MODELS_FILE: join(folder, 'models.yaml'),
      MODEL: 'wire',
      MAX_CRASHES: '50',
      ORACLE_CONCURRENCY: '4',
      SHUTDOWN_GRACE_SECONDS: '5',
    },
  );
  const problems: string[] = [];
  const end = Date.now() + minutes * 60_000;
  const clients = new MixedClients(group, end);
  const samples: LoadSample[] = [];
  let faults = 0;
  try {
    const good = await httpTarget(group.targets, healthy);
    const bad = await httpTarget(group.targets, erroring);
    const nodes = { web: { endpoint: good.endpoint, dependsOn: ['db'] }, db: bad };
    for (const id of [1, 2])
      await group.client.createTopology({ ...teamOfEach(nodes), id, name: `shop ${id}` });

    const kinds: (() => Promise<void>)[] = [
      () => group.replace('worker', 'SIGKILL'),
      async () => proxy.reset(),
      () => group.replace('worker', 'SIGTERM'),
      async () => {
        proxy.cut();
        await sleep(2_000);
        proxy.mend();
      },
      () => group.replace('api', 'SIGTERM'),
      async () => {
        await redis.kill();
        await sleep(1_000);
        await redis.restart();
      },
      () => group.replace('api', 'SIGKILL'),
    ];
    const harm = async () => {
      await sleep(FAULT_MS);
      for (; Date.now() < end; faults++) {
        await kinds[faults % kinds.length]?.();
        await sleep(FAULT_MS);
      }
    };
    const measure = async () => {
      while (Date.now() < end) {
        await sleep(Math.min(SAMPLE_MS, Math.max(1_000, end - Date.now())));
        const memory = await group.memory();
        const [waitSeconds, open, lag] = await Promise.all([
          group.metric('consilium_oldest_waiting_seconds'),
          group.metric('consilium_open_runs'),
          group.metric('nodejs_eventloop_lag_p99_seconds'),
        ]);
        const most = Math.max(...memory);
        const sum = memory.reduce((a, b) => a + b, 0);
        samples.push({ most, sum, lagMs: lag * 1_000, waitSeconds });
        say(
          `${clients.progress}, ${faults} faults, ${open} open runs, oldest job waits ${waitSeconds.toFixed(1)} s, event loop p99 ${(lag * 1_000).toFixed(0)} ms, memory at most ${most} MB, sum ${sum} MB, provider at most ${provider.mostOpen} at once`,
        );
      }
    };
    const patience = setTimeout(
      () => group.over.abort(new Error('it did not end after the load')),
      minutes * 60_000 + END_MS,
    );
    const settled = await Promise.allSettled([clients.run(), harm(), measure()]);
    clearTimeout(patience);
    for (const one of settled) if (one.status === 'rejected') problems.push(String(one.reason));
    if (provider.mostOpen > LIMITS.concurrency)
      problems.push(`the provider had ${provider.mostOpen} requests at once`);
    say(`${faults} faults; ${clients.resumed} runs were resumed by another process`);
    for (const line of describeLoad(samples, clients.kinds)) say(line);
  } finally {
    await group.close();
    await provider.close().catch(() => undefined);
    await proxy.close();
    await redis.close();
    await rm(folder, { recursive: true, force: true });
  }
  return [...problems, ...clients.problems, ...group.failures];
}
