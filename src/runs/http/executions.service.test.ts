import { expect, it } from '@jest/globals';
import { ConsiliumError } from '../../domain/errors.js';
import { LOCAL, type Principal } from '../../http/access/principal.js';
import { spec, started } from '../../../test/support/incidents/drafts.js';
import { ownerOfDiagnoses } from '../../domain/run.js';
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

it.each(['default', 'acme'])(
  'resumes a run of the tenant %s by its key, and of no other',
  async (tenant) => {
    const runId = '01960d3c-5f2a-7cc0-8000-000000000001';
    const log = new MemoryLog();
    await log.create(runId, { ...spec, owner: ownerOfDiagnoses(tenant) }, [started]);
    const service = new ExecutionsService(
      log,
      {} as RunControl,
      { get: async () => ({}) } as unknown as Topologies,
      { diagnosis: (id: string) => id } as unknown as RunStarter,
      { runOf: async () => runId } as unknown as Idempotency,
    );
    const resume = (principal: Principal) =>
      service.accept(REQUEST, principal, {
        key: 'k',
        cursor: 1,
        traceparent: undefined,
        counted: Promise.resolve(),
      });
    expect(await resume({ tenant, name: 'ann', role: 'trigger' })).toBe(runId);
    await expect(resume({ tenant: 'globex', name: 'ann', role: 'trigger' })).rejects.toMatchObject({
      code: 'RUN_EXPIRED',
    });
  },
);
