import { afterEach, expect, it } from '@jest/globals';
import { BEFORE_HEAD, endlessServer } from '../../../test/support/endless-server.js';
import { contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import { trustOptionsOf } from '../attributes.js';
import { exchange } from './http-exchange.js';

const loopback = new Loopback();
afterEach(() => loopback.close());
const node = nodeOf('service');

const ask = async (server: ReturnType<typeof endlessServer>) =>
  exchange(new URL(`http://127.0.0.1:${await loopback.open(server)}/`), {
    ...{
      context: contextOf(node),
      trust: trustOptionsOf(node),
      timeoutMs: 60_000,
      maxBytes: 65_536,
    },
  });

it.each(BEFORE_HEAD)('ends at endless %s before the head of an answer', async (_, piece) => {
  const { answer, fault } = await ask(endlessServer(piece));
  expect(answer).toBeUndefined();
  expect(fault).toMatchObject({
    kind: 'protocol',
    symptom: 'erroring',
    text: 'the answer is not valid HTTP (HPE_HEADER_OVERFLOW)',
  });
});
