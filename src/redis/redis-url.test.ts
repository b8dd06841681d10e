import { expect, test } from '@jest/globals';
import { databaseOf, redisUrlFault, serversOf } from './redis-url.js';

test.each([
  ['redis://u:p@h', ['h:6379']],
  ['rediss://[::1]:7000/3', ['::1:7000']],
  ['redis+cluster://:p@a:1,[::1],b', ['a:1', '::1:6379', 'b:6379']],
  ['rediss+sentinel://a,b:2/main/4?sentinelPassword=p', ['a:26379', 'b:2']],
  ['redis+sentinel://a/main/', ['a:26379']],
])('reads the servers of %s', (url, servers) => {
  expect(redisUrlFault(url)).toBeUndefined();
  expect(serversOf(url).map(({ host, port }) => `${host}:${port}`)).toEqual(servers);
});

test.each([
  ['redis://u:p@h', 0],
  ['redis://h:1/', 0],
  ['rediss://[::1]:7000/3', 3],
  ['redis+cluster://a:1', 0],
  ['redis+sentinel://a,b:2/main/4', 4],
  ['redis+sentinel://a/main', 0],
])('reads the database of %s', (url, database) => {
  expect(databaseOf(url)).toBe(database);
});

test.each([
  ['redis://u:hunter2@h:99999', 'host or port'],
  ['redis://u:hunter2@h/one', 'database'],
  ['redis://u:hunter2%zz@h', 'an invalid % in its user, password'],
  ['redis+cluster://u:hunter2@a:1,:2', 'host or port'],
  ['redis+cluster://u:hunter2@a:99999', 'host or port'],
  ['redis+sentinel://u:hunter2@a:1', 'no master name'],
  ['redis+sentinel://u:hunter2@a:1/main/one', 'database'],
])('names what is wrong with %s, without the password', (url, fault) => {
  expect(redisUrlFault(url)).toContain(fault);
  expect(redisUrlFault(url)).not.toContain('hunter2');
});
