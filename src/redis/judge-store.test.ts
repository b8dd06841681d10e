import { expect, it } from '@jest/globals';
import { judgeStore } from './judge-store.js';

const sound = {
  info: {
    redis_version: '7.0.15',
    maxmemory: '0',
    maxmemory_policy: 'noeviction',
    aof_enabled: '1',
  },
  settings: { save: '', appendfsync: 'everysec' },
};
const judge = (info: Record<string, string>, settings: Record<string, string> = {}) =>
  judgeStore({ info: { ...sound.info, ...info }, settings: { ...sound.settings, ...settings } });

it('accepts a Redis with correct settings and one that shows none', () => {
  for (const facts of [sound, { info: {}, settings: {} }])
    expect(judgeStore(facts)).toEqual({ refused: [], warned: [] });
  expect(judge({ redis_version: '8.2.1' })).toEqual({ refused: [], warned: [] });
});

it.each<[string, Record<string, string>, Record<string, string>, 'refused' | 'warned', RegExp]>([
  [
    'too old',
    { redis_version: '6.2.14' },
    {},
    'refused',
    /This is Redis 6\.2\.14\. Use Redis 7\.0 or later/,
  ],
  [
    'evicting',
    { maxmemory: '1048576', maxmemory_policy: 'allkeys-lru' },
    {},
    'refused',
    /maxmemory-policy allkeys-lru.* noeviction/,
  ],
  [
    'evicting locks',
    { maxmemory: '1048576', maxmemory_policy: 'volatile-ttl' },
    {},
    'refused',
    /maxmemory-policy volatile-ttl/,
  ],
  [
    'evicting, without a limit',
    { maxmemory_policy: 'allkeys-lru' },
    {},
    'warned',
    /No memory limit/,
  ],
  [
    'without persistence',
    { aof_enabled: '0' },
    {},
    'warned',
    /writes nothing to disk .*loses all runs/,
  ],
  [
    'with snapshots only',
    { aof_enabled: '0' },
    { save: '3600 1' },
    'warned',
    /only snapshots .*since the last snapshot/,
  ],
  ['slow to write to disk', {}, { appendfsync: 'no' }, 'warned', /appendfsync no/],
])('judges a Redis that is %s', (_, info, settings, kind, words) => {
  const judged = judge(info, settings);
  expect(judged[kind]).toEqual([expect.stringMatching(words)]);
  expect(judged[kind === 'refused' ? 'warned' : 'refused']).toEqual([]);
});
