import { expect, test } from '@jest/globals';
import { SourceError } from './http/source-error.js';
import { UnreadNodes, UnreadNodesError } from './unread-nodes.js';

const refused = new SourceError('refused', 'may not look', { status: 403 });
const failed = new SourceError('failed', 'too large');

test('throws nothing if all nodes were read', () => {
  expect(() => new UnreadNodes().throwIfAny()).not.toThrow();
});

test('throws the error of the only node that was asked for', () => {
  const unread = new UnreadNodes();
  unread.add('shop', refused);
  expect(() => unread.throwIfAny('shop')).toThrow(refused);
});

test('names the nodes that could not be read, with every reason of each', () => {
  const unread = new UnreadNodes();
  unread.add('shop', refused, 'a');
  unread.add('shop', failed, 'b');
  unread.addAll(new UnreadNodesError(new Map([['cart', failed]])));
  let thrown: unknown;
  try {
    unread.throwIfAny();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({
    failure: 'failed',
    status: 403,
    message: 'shop: source a: may not look; source b: too large, and 1 more node',
  });
  expect((thrown as UnreadNodesError).nodes.get('cart')).toBe(failed);
});

test('passes on what is no error of a source', () => {
  expect(() => new UnreadNodes().add('shop', new Error('enough'))).toThrow('enough');
  expect(() => new UnreadNodes().addAll(refused)).toThrow(refused);
});
