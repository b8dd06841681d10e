import { expect, it } from '@jest/globals';
import { ConsiliumError } from '../../domain/errors.js';
import { LOCAL } from '../../http/access/principal.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import type { Idempotency } from '../idempotency.js';
import type { RunControl } from '../run-control.js';
import type { RunStarter } from '../run-starter.js';
import type { Topologies } from '../../topologies/topologies.js';
import { ExecutionsService } from './executions.service.js';

const REQUEST = { topologyId: 7, userMessage: '' };

/** @param find reads the topology */
function scene(find: () => Promise<unknown>) {
  const did: string[] = [];
  const service = new ExecutionsService(
    new MemoryLog(),
    {} as RunControl,
    {
      get: () => {
        did.push('read');
        return find();
      },
    } as unknown as Topologies,
    { diagnosis: () => void did.push('start') } as unknown as RunStarter,
    { runOf: () => void did.push('claim key') } as unknown as Idempotency,
  );
  const accept = (counted: Promise<void>) =>
    service.accept(REQUEST, LOCAL, { key: 'k', cursor: 0, traceparent: undefined, counted });
  return { did, accept };
}

it('reads the topology of a trigger while it is counted, and does nothing else before', async () => {
  const { did, accept } = scene(() => Promise.resolve({}));
  let count: () => void = () => undefined;
  const accepted = accept(new Promise((resolve) => (count = resolve)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(did).toEqual(['read']);
  count();
  await accepted;
  expect(did).toEqual(['read', 'claim key', 'start']);
});

it('refuses one trigger too many, whether there is such a topology or not', async () => {
  const refused = new ConsiliumError('RATE_LIMITED', 'too many');
  for (const find of [() => Promise.resolve({}), () => Promise.reject(new Error('none'))]) {
    const { did, accept } = scene(find);
    await expect(accept(Promise.reject(refused))).rejects.toBe(refused);
    expect(did).toEqual(['read']);
  }
});
