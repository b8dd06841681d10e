import { expect, test } from '@jest/globals';
import { writeBundle } from '../../../test/support/incidents/write-bundle.js';
import { openBundle } from './bundle.js';
import { RecordedProbes } from './recorded-probes.js';

const live = new AbortController().signal;

async function holding(...lines: object[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const bundle = await openBundle(
    await writeBundle({
      'recordings/probes.ndjson': text,
      'recordings/kubectl.ndjson': '{"tool":"kubectl_get","args":{},"output":"x"}\n',
    }),
  );
  return { bundle, probes: new RecordedProbes(bundle.files.probes ?? []) };
}

const call = (args: object, output: string) => ({ tool: 'http_probe', args, output });

test('finds a call whatever the order of its arguments and however it was tried', async () => {
  const { probes } = await holding(call({ node: 'shop', path: '/a', tries: 3 }, 'first'));
  const found = await probes.result('http_probe', { tries: 5, path: '/a', node: 'shop' }, live);
  expect(found?.output).toBe('first');
});

test('takes the last result of a repeated call', async () => {
  const { probes } = await holding(call({ node: 'shop' }, 'a'), call({ node: 'shop' }, 'b'));
  expect((await probes.result('http_probe', { node: 'shop' }, live))?.output).toBe('b');
});

test.each([
  ['tool', 'tcp_probe', { node: 'shop' }],
  ['node', 'http_probe', { node: 'cart' }],
  ['argument', 'http_probe', { node: 'shop', path: '/b' }],
])('has no result of another %s', async (_, tool, args) => {
  const { probes } = await holding(call({ node: 'shop' }, 'a'));
  expect(await probes.result(tool, args, live)).toBeUndefined();
});

test('rejects with the reason of an aborted signal', async () => {
  const { probes } = await holding(call({ node: 'shop' }, 'a'));
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(probes.result('http_probe', { node: 'shop' }, signal)).rejects.toThrow('enough');
});

test('results of probes are no answers of other tools', async () => {
  const { bundle } = await holding(call({ node: 'shop' }, 'a'));
  expect(bundle.files.recordings).toHaveLength(1);
  expect(bundle.files.recordings?.[0]).toMatch(/kubectl\.ndjson$/);
});
