import { expect, it } from '@jest/globals';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { endpointMask } from './endpoint-mask.js';

const node = (id: string, endpoint?: string, kind = 'service') => ({
  id,
  name: id,
  kind,
  dependsOn: [],
  attributes: {},
  ...(endpoint !== undefined && { endpoint }),
});

const mask = endpointMask([
  node('web', 'https://web.example.com/ready'),
  node('api', 'http://10.1.2.3/health'),
  node('api-2', 'http://10.1.2.3:8080'),
  node('queue', 'redis://:secret@10.0.0.7:6379'),
  node('shop', 'http://shop/'),
  node('local', 'http://localhost:80/'),
  node('cache', 'redis://cache'),
  node('db', 'main-db', 'postgres'),
  node('log', 'broker-1:9092,broker-2:9093', 'kafka'),
  node('six', '[fd00::7]:9100', 'tcp'),
  node('name.example.org', 'name.example.org', 'dns'),
  node('host'),
  ...[0, 1, 2, 3].map((i) => node(`both-${i}`, `http://both:1/${i}`)),
]);

it.each([
  ['GET https://web.example.com/ready', 'GET https://<endpoint of web>/ready'],
  ['WEB.example.com: no such host', '<host of web>: no such host'],
  ['my-web.example.com, web.example.com.evil', 'my-web.example.com, web.example.com.evil'],
  ['ECONNREFUSED 10.0.0.7:6379.', 'ECONNREFUSED <endpoint of queue>.'],
  ['http://10.1.2.3/health', 'http://<endpoint of api>/health'],
  ['10.1.2.3:80, 10.1.2.3:8080', '<endpoint of api>, <endpoint of api-2>'],
  ['10.1.2.3, 10.1.2.3:9', '<host of api or api-2>, <host of api or api-2>:9'],
  ['peer-10.1.2.3 ::ffff:10.1.2.3', 'peer-<host of api or api-2> ::ffff:<host of api or api-2>'],
  ['10.0.0.7:637901', '<host of queue>:637901'],
  ['110.1.2.3 10.1.2.34 10.1.2.3.4', '110.1.2.3 10.1.2.34 10.1.2.3.4'],
  ['//shop/ http://shop shop:80', '//<host of shop>/ http://<endpoint of shop> <endpoint of shop>'],
  ['http://me@shop/x', 'http://me@<endpoint of shop>/x'],
  ['http://shop:81', 'http://<host of shop>:81'],
  ['The shop is open: shop 12, my-shop:80', 'The shop is open: shop 12, my-shop:80'],
  ['localhost:80 and http://localhost/', '<endpoint of local> and http://<endpoint of local>/'],
  ['localhost is fine', 'localhost is fine'],
  ['cache:6379 rediss://cache', '<endpoint of cache> rediss://<endpoint of cache>'],
  ['main-db:5432', '<endpoint of db>'],
  ['broker-2:9093 broker-1:9092', '<endpoint of log> <endpoint of log>'],
  ['[fd00::7]:9100 fd00::7 12:30:45', '<endpoint of six> <host of six> 12:30:45'],
  ['name.example.org resolves', 'name.example.org resolves'],
  ['http://both:1/', 'http://<endpoint of both-0, both-1, both-2 and 1 more>/'],
])('takes the addresses of nodes out of %j', (text, masked) => {
  expect(mask(text)).toBe(masked);
});

it('reads JSON, also in a text of JSON', () => {
  const value = { text: 'failed:\n10.1.2.3\tweb.example.com', 'at 10.1.2.3:80': 1 };
  const shown =
    '{"text":"failed:\\n<host of api or api-2>\\t<host of web>","at <endpoint of api>":1}';
  expect(mask(JSON.stringify(value))).toBe(shown);
  expect(mask(JSON.stringify({ body: JSON.stringify(value) }))).toBe(
    JSON.stringify({ body: shown }),
  );
  expect(mask(String.raw`{"url":"http:\\/\\/shop\\/"}`)).toBe(
    String.raw`{"url":"http:\\/\\/<endpoint of shop>\\/"}`,
  );
});

it('takes out what the name of a target resolved to, wherever the result has it', () => {
  const measurements = { addresses: ['10.9.9.9', 'fd00::9'], error: 'no route to 10.9.9.9:80' };
  const shown = { addresses: ['<address>', '<address>'], error: 'no route to <address>:80' };
  const other = { client: '10.9.9.8' };
  for (const wrap of [(value: object): unknown => value, (value: object) => JSON.stringify(value)])
    expect(mask(JSON.stringify({ result: wrap({ measurements, ...other }) }))).toBe(
      JSON.stringify({ result: wrap({ measurements: shown, ...other }) }),
    );
});

it('names the node whose host resolved to an address', () => {
  const of = (target: string) => ({ target, tries: 3, addresses: ['10.9.9.9'] });
  const shown = (target: string) => ({ target, tries: 3, addresses: ['<address of shop>'] });
  const text = JSON.stringify({ measurements: of('shop:80'), error: 'no route to 10.9.9.9:80' });
  const masked = JSON.stringify({
    measurements: shown('<endpoint of shop>'),
    error: 'no route to <address of shop>:80',
  });
  expect(mask(text)).toBe(masked);
  expect(mask(JSON.stringify({ result: text }))).toBe(JSON.stringify({ result: masked }));
  expect(mask(JSON.stringify(of('elsewhere:80')))).toContain('"<address>"');
});

it('changes no text if no node has an address', () => {
  expect(endpointMask([node('host')])('127.0.0.1:1')).toBe('127.0.0.1:1');
  expect(endpointMask([node('odd', 'http://[')])('http://[')).toBe('http://[');
});

const many = endpointMask(
  Array.from({ length: 900 }, (_, i) => node(`n${i}`, `http://host-${i}.example.com:${8000 + i}`)),
);
it.each([
  'http://host-7.example.com:8007 ',
  'http://host-7.example.org:8007 ',
  'a',
  'a.',
  'a:',
  '/',
  '//a',
  '\\',
  '1.',
  '1:',
  '[:',
  '"addresses":[',
  '"addresses":["10.1.2.3"],',
  '"target":"host-7.example.com","addresses":["10.1.2.3"],',
])('reads 200 kB of %j in linear time, with 900 nodes', (part) => {
  const text = part.repeat(200_000 / part.length);
  const start = processorMs();
  many(text);
  // Some 20 ms. Quadratic time would take minutes.
  expect(processorMs() - start).toBeLessThan(2_000);
});
