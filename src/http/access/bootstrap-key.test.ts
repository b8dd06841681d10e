import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ApiKeys } from './api-keys.js';
import { BootstrapKey } from './bootstrap-key.js';

let warned: string[];
beforeEach(() => {
  warned = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
    warned.push(String(line));
  });
});
afterEach(() => void jest.restoreAllMocks());

const start = (auth: 'keys' | 'none', list: () => Promise<object[]>) =>
  new BootstrapKey({ role: 'all', auth, authBootstrapKeyFile: undefined }, {
    list,
  } as unknown as ApiKeys).onApplicationBootstrap();

it('says how to make a first key, where AUTH=keys has none', async () => {
  await start('keys', () => Promise.resolve([]));
  expect(warned).toEqual([expect.stringMatching(/consilium keys make .*AUTH_BOOTSTRAP_KEY_FILE/)]);
});

it.each([
  ['there is a key', 'keys', () => Promise.resolve([{}])],
  ['the store is away', 'keys', () => Promise.reject(new Error('away'))],
  ['no key is needed', 'none', () => Promise.resolve([])],
] as const)('says nothing if %s', async (_, auth, list) => {
  await start(auth, list);
  expect(warned).toEqual([]);
});

it('stores no key in a worker, whose user of Redis may not write keys', async () => {
  const put = jest.fn<ApiKeys['put']>();
  const worker = { role: 'worker', auth: 'keys', authBootstrapKeyFile: '/no/such/file' } as const;
  await new BootstrapKey(worker, { put } as unknown as ApiKeys).onApplicationBootstrap();
  expect(put).not.toHaveBeenCalled();
});
