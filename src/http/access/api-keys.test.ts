import { beforeEach, expect, it, jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { memoryHashes } from '../../../test/support/memory/memory-hashes.js';
import { ApiKeys } from './api-keys.js';

let now: number;
let redis: Redis;
let keys: ApiKeys;
beforeEach(() => {
  now = 1_000;
  redis = memoryHashes();
  keys = new ApiKeys(redis, { redisPrefix: 'test' }, { now: () => now });
});

const create = () => keys.create({ tenant: 'acme', name: 'ann', role: 'viewer' });
const lastUsed = async () => (await keys.list()).map(({ lastUsedAt }) => lastUsedAt);

it('says to the minute when a key was last used', async () => {
  const { key } = await create();
  await keys.principalOf(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
  expect(await lastUsed()).toEqual([undefined]);
  await keys.principalOf(key);
  expect(await lastUsed()).toEqual([1_000]);
  now = 60_999;
  await keys.principalOf(key);
  expect(await lastUsed()).toEqual([1_000]);
  now = 61_000;
  await keys.principalOf(key);
  expect(await lastUsed()).toEqual([61_000]);
});

it('lets a key in whose use cannot be noted, and tries again', async () => {
  const { key } = await create();
  const noted = jest.spyOn(redis, 'hset').mockRejectedValueOnce(new Error('away'));
  expect(await keys.principalOf(key)).toMatchObject({ name: 'ann' });
  expect(await lastUsed()).toEqual([undefined]);
  await keys.principalOf(key);
  expect(noted).toHaveBeenCalledTimes(2);
  expect(await lastUsed()).toEqual([1_000]);
});

it('does not note the use of a key that is revoked', async () => {
  const { id, key } = await create();
  await keys.revoke(id);
  expect(await keys.principalOf(key)).toBeUndefined();
  expect(await lastUsed()).toEqual([undefined]);
});
