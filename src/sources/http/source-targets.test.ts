import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { SourceError, type SourceFailure } from './source-error.js';
import { readTargets, type NodePart } from './source-targets.js';

const never = new AbortController().signal;
const target = (...nodes: string[]) => ({
  id: 'source',
  server: { endpoint: 'http://127.0.0.1:1', egress: anyEgress },
  selectors: new Map(nodes.map((node) => [node, `selector of ${node}`])),
});

/** Nodes that were asked for, what was yielded, and the error at the end. */
async function reading(
  faults: Record<string, SourceFailure>,
  { node, signal = never }: { node?: string; signal?: AbortSignal } = {},
) {
  const asked: string[] = [];
  const found: string[] = [];
  let error: unknown;
  async function* read(part: NodePart) {
    asked.push(part.node);
    await Promise.resolve();
    const fault = faults[part.node];
    if (fault) throw new SourceError(fault, `${part.node} is not read`);
    yield part.selector;
  }
  try {
    const targets = [target('a', 'b', 'c'), target('d')];
    for await (const each of readTargets(targets, { node, signal }, read)) found.push(each);
  } catch (cause) {
    error = cause;
  }
  return { asked, found, error };
}

test('reads all nodes of all servers', async () => {
  const { found, error } = await reading({});
  expect(found).toEqual(['a', 'b', 'c', 'd'].map((node) => `selector of ${node}`));
  expect(error).toBeUndefined();
});

test('reads the only node that is asked for', async () => {
  expect((await reading({}, { node: 'b' })).found).toEqual(['selector of b']);
  expect((await reading({ b: 'failed' }, { node: 'b' })).error).toMatchObject({
    message: 'source source: b is not read',
  });
});

test('a node that fails keeps no other from being read', async () => {
  const { found, error } = await reading({ a: 'failed' });
  expect(found).toHaveLength(3);
  expect(error).toMatchObject({ nodes: new Map([['a', expect.any(SourceError)]]) });
});

test.each(['refused', 'unreachable'] as const)(
  'a server whose answer is %s is not asked for further nodes',
  async (failure) => {
    const { asked, found, error } = await reading({ a: failure });
    expect(asked).toEqual(['a', 'd']);
    expect(found).toEqual(['selector of d']);
    expect(error).toMatchObject({
      failure,
      message: 'a: source source: a is not read, and 2 more nodes',
    });
  },
);

test('what one source has of a node comes before the error of another', async () => {
  const down = { ...target('a'), id: 'down', server: new SourceError('failed', 'is not listed') };
  const found: string[] = [];
  const reading = async () => {
    const parts = readTargets([down, target('a')], { node: 'a', signal: never }, (part) =>
      (async function* () {
        await Promise.resolve();
        yield part.selector;
      })(),
    );
    for await (const each of parts) found.push(each);
  };
  await expect(reading()).rejects.toMatchObject({ message: 'source down: is not listed' });
  expect(found).toEqual(['selector of a']);
});

test('rejects with the reason of an aborted signal', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  expect((await reading({}, { signal })).error).toMatchObject({ message: 'enough' });
});
