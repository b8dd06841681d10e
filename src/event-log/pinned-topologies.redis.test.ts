import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { completed, spec as anySpec, started } from '../../test/support/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import type { DraftEvent } from '../domain/events/event.js';
import { ownerOfDiagnoses, type RunSpec } from '../domain/run.js';
import type { Topology } from '../domain/topology/topology.js';
import { DAY_SECONDS } from '../lib/day.js';
import { processesKey } from '../redis/keys.js';
import { GONE_MS, READS_PINS } from './pinned-topologies.js';
import { RedisLog } from './redis-log.js';

let own: TestRedis;
let folder: string;
beforeEach(async () => {
  own = testRedis();
  folder = await mkdtemp(join(tmpdir(), 'consilium-pins-'));
});
afterEach(async () => {
  await own.close();
  await rm(folder, { recursive: true });
});

/** The log as another process sees it, which remembers nothing. */
const process = (more: Partial<Config> = {}) =>
  new RedisLog(own.redis, {
    ...loadConfig({ REDIS_URL: own.url, REDIS_PREFIX: own.prefix, RETENTION_DAYS: '3' }),
    ...more,
  });

/** A topology of about `kB` of JSON. */
const topologyOf = (kB: number, more: object = {}): Topology => ({
  ...anySpec.topology,
  nodes: Array.from({ length: kB }, (_, i) => ({
    ...{ id: `n${i}`, name: `Node ${i}`, kind: 'service', dependsOn: [], attributes: {} },
    description: 'x'.repeat(1_024),
    ...more,
  })),
});
const specOf = (topology: Topology, tenant = 'acme'): RunSpec => ({
  ...anySpec,
  owner: ownerOfDiagnoses(tenant),
  topology,
});

async function start(spec: RunSpec, log = process()): Promise<string> {
  const runId = randomUUID();
  await log.create(runId, spec, [started]);
  return runId;
}
const end = (runId: string) => process().seal(runId, () => completed);
const pins = () => own.redis.keys(`${own.prefix}:{pins}:topology:*`);
const pin = async () => (await pins())[0] ?? '';
const stateOf = (runId: string) => process().keys(runId).state;
const bytesOf = (runId: string) => own.redis.hstrlen(stateOf(runId), 'spec');

describe('a large topology', () => {
  it('is stored once for all runs, and each run still has its whole specification', async () => {
    const spec = specOf(topologyOf(500));
    const runs = await Promise.all(Array.from({ length: 20 }, () => start(spec)));
    expect(await pins()).toHaveLength(1);
    for (const runId of runs) {
      expect(await bytesOf(runId)).toBeLessThan(1_024);
      expect(await process().spec(runId)).toEqual(spec);
    }
  });

  it('is not shared with another tenant, and not with another version of it', async () => {
    const topology = topologyOf(40);
    await start(specOf(topology));
    await start(specOf(topology, 'globex'));
    await start(specOf({ ...topology, name: 'changed' }));
    expect(await pins()).toHaveLength(3);
  });

  it('outlives the logs of all its runs, however long the first one is gone', async () => {
    const spec = specOf(topologyOf(40));
    const first = await start(spec);
    expect(await own.redis.ttl(await pin())).toBeGreaterThan(9 * DAY_SECONDS);
    await own.redis.expire(await pin(), 60);
    const second = await start(spec);
    expect(await own.redis.ttl(await pin())).toBeGreaterThan(9 * DAY_SECONDS);
    await end(first);
    await process().trim(first);
    await process().forget(first);
    expect(await process().spec(first)).toBeUndefined();
    expect(await process().spec(second)).toEqual(spec);
    await end(second);
    expect(await process().spec(second)).toEqual(spec);
  });

  it('is stored again if Redis has lost it; what had lost it keeps its log', async () => {
    const spec = specOf(topologyOf(40));
    const log = process();
    const before = await start(spec, log);
    await own.redis.del(await pin());
    expect(await process().spec(before)).toBeUndefined();
    expect((await process().read(before, 0, 10)).frames).toHaveLength(1);
    await start(spec, log);
    expect(await process().spec(before)).toEqual(spec);
  });

  it('goes away by itself if its process ends before the log is written', async () => {
    const broken = { ...started, data: { kind: 1n } } as unknown as DraftEvent;
    const created = process().create(randomUUID(), specOf(topologyOf(40)), [broken]);
    await expect(created).rejects.toThrow(TypeError);
    expect(await own.redis.ttl(await pin())).toBeGreaterThan(0);
  });

  it('has no secret in Redis, and opens with the keys of each process', async () => {
    const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
    const [old, fresh] = [key('2025'), key('2026')];
    const [oldFile, bothFile] = [join(folder, 'old'), join(folder, 'both')];
    await writeFile(oldFile, old);
    await writeFile(bothFile, `${fresh}\n${old}`);
    const spec = specOf(topologyOf(40, { endpoint: 'redis://:hunter22@db.example:6379' }));
    const before = await start(spec, process({ secretsKeysFile: oldFile }));
    expect(await own.redis.get(await pin())).not.toContain('hunter22');
    const both = process({ secretsKeysFile: bothFile });
    expect(await both.spec(before)).toEqual(spec);
    const after = await start(spec, both);
    expect(await process({ secretsKeysFile: bothFile }).spec(after)).toEqual(spec);
    expect(await pins()).toHaveLength(2);
  });
});

describe('a run keeps a copy', () => {
  it('of a small topology', async () => {
    const spec = specOf(topologyOf(5));
    expect(await process().spec(await start(spec))).toEqual(spec);
    expect(await pins()).toEqual([]);
  });

  it('if an earlier version of the service accepted it', async () => {
    const spec = specOf(topologyOf(40));
    const runId = await start(spec);
    await own.redis.hset(stateOf(runId), 'spec', JSON.stringify(spec));
    await own.redis.del(await pin());
    expect(await process().spec(runId)).toEqual(spec);
  });

  it('while a process lives that cannot read pinned topologies', async () => {
    const list = (id: string, ago: number, features?: string[]) => {
      const seenAt = new Date(Date.now() - ago).toISOString();
      return own.redis.hset(
        processesKey(own.prefix),
        id,
        JSON.stringify({ id, seenAt, ...(features && { features }) }),
      );
    };
    const spec = specOf(topologyOf(40));
    await list('new', 0, [READS_PINS]);
    await list('gone', 10 * GONE_MS);
    await list('old', 0);
    const mixed = await start(spec);
    expect([await pins(), await process().spec(mixed)]).toEqual([[], spec]);
    await list('old', 10 * GONE_MS);
    await start(spec);
    expect(await pins()).toHaveLength(1);
  });
});
