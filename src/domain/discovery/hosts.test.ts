import { expect, test } from '@jest/globals';
import { hostsIn, hostsOfCommand } from './hosts.js';

test.each([
  ['CATALOG', 'http://catalog:8080/api/redis', ['catalog:8080']],
  ['DB', 'postgres://user:p%40ss@db.shop.svc:5432/redis?host=x', ['db.shop.svc:5432']],
  ['DB', 'jdbc:mysql://mysql:3306/orders', ['mysql:3306']],
  ['DB', 'app:secret@tcp(mysql:3306)/orders', ['mysql:3306']],
  ['MONGO', 'mongodb://a:27017,b:27018/x', ['a:27017', 'b:27018']],
  ['KAFKA', 'kafka-0:9092,kafka-1:9092', ['kafka-0:9092', 'kafka-1:9092']],
  ['CACHE_HOST', 'redis', ['redis']],
  ['CONNECTION', 'Server=db;Port=5432', ['db']],
  ['SESSION_STORE', 'redis', []],
  ['GREETING', 'welcome to redis', []],
  ['LOG', 'cart=debug,redis=info', []],
  ['IMAGE', 'registry/redis:7', []],
])('%s=%s names %j', (name, value, expected) => {
  const shown = hostsIn(name, value).map(({ host, port }) => (port ? `${host}:${port}` : host));
  expect(shown).toEqual(expected);
});

test('an option and its value belong together', () => {
  const args = ['server', '--redis-host', 'cache', '--name=redis', '--db-addr=db:5432', '-v'];
  expect(hostsOfCommand(args)).toEqual([{ host: 'cache' }, { host: 'db', port: 5_432 }]);
});

test('a long value of a hostile file costs little', () => {
  expect(hostsIn('URL', 'a.'.repeat(1_000_000)).length).toBeLessThan(10);
  expect(hostsIn('URL', `http://${'@'.repeat(100_000)}`)).toEqual([]);
});
