import { expect, it } from '@jest/globals';
import type { Behaviours } from '../behaviours/behaviours.js';
import { ConsiliumError } from '../domain/errors.js';
import type { LogPort } from '../event-log/log-port.js';
import type { Models } from '../models/models.js';
import type { Topologies } from '../topologies/topologies.js';
import type { AgentConfig } from './agent-config.js';
import { TurnGround } from './turn-ground.js';
import type { OracleRequest } from './oracle-request.js';

const standard = { name: 'runbook', contextWindow: 1_000 };
const large = { name: 'large', contextWindow: 9_000 };

/** With the topologies 7 and 8, the model "large" and the diagnosis "d1" of topology 8. */
const ground = new TurnGround(
  {
    get: async (tenant: string, id: number) => {
      if (id > 8 || tenant !== 'default')
        throw new ConsiliumError('TOPOLOGY_NOT_FOUND', `There is no topology ${id}`);
      return { topology: { id, name: `T${id}`, limits: { maxIterations: 9 } }, version: 3 };
    },
  } as unknown as Topologies,
  { pinOracle: () => ({}), blackboards: () => ({}) } as unknown as Behaviours,
  {
    get: (name?: string) => ({ large, runbook: standard })[name ?? 'runbook'],
    default: standard,
  } as unknown as Models,
  { of: async () => ({ timeoutSeconds: 60 }) } as unknown as AgentConfig,
  {
    state: async (runId: string) =>
      runId === 'd1'
        ? { head: { kind: 'diagnosis', owner: 'anonymous', topologyId: 8 } }
        : undefined,
  } as unknown as LogPort,
);
const of = (turn: Partial<OracleRequest>, kept?: number) =>
  ground.of('me', { message: '?', ...turn }, kept);

it('resolves limits from the topology, the settings of the caller and the turn', async () => {
  const { spec, contextWindow } = await of({ topologyId: 7, tokenBudget: 500, model: 'large' });
  expect(spec.limits).toMatchObject({ maxIterations: 9, timeoutSeconds: 60, tokenBudget: 500 });
  expect(spec).toMatchObject({ kind: 'chat', topologyVersion: 3, onDisconnect: 'continue' });
  expect(contextWindow).toBe(9_000);
});

it('keeps the topology of the exchange before, unless another is named', async () => {
  expect((await of({}, 7)).spec.topology.id).toBe(7);
  expect((await of({ topologyId: 8 }, 7)).spec.topology.id).toBe(8);
  expect((await of({}, 99)).spec.topology.id).toBe(0);
});

it('is about the run that the person looks at', async () => {
  const { about, spec } = await of({ runId: 'd1' });
  expect([about, spec.topology.id]).toEqual(['d1', 8]);
});

it.each([
  ['topology', { topologyId: 7 }, 'TOPOLOGY_NOT_FOUND', { topologyId: 99 }],
  ['run', { runId: 'd1' }, 'RUN_NOT_FOUND', { runId: 'd2' }],
])("refuses another tenant's %s as one that is missing", async (_, foreign, code, missing) => {
  const asked = (turn: Partial<OracleRequest>) =>
    ground.of('acme/me', { message: '?', ...turn }, undefined);
  const refusal = (turn: Partial<OracleRequest>) => asked(turn).catch((error: unknown) => error);
  const known = (await refusal(foreign)) as ConsiliumError;
  expect(known.code).toBe(code);
  const message = ((await refusal(missing)) as ConsiliumError).message;
  expect(known.message.replace(/\S+$/, '')).toBe(message.replace(/\S+$/, ''));
});

it.each([
  ['an unknown topology', { topologyId: 99 }, 'TOPOLOGY_NOT_FOUND'],
  ['an unknown model', { model: 'gpt-9' }, 'VALIDATION_FAILED'],
  ['an unknown run', { runId: 'x' }, 'RUN_NOT_FOUND'],
])('refuses %s', async (_, turn, code) => {
  await expect(of(turn)).rejects.toMatchObject({ code });
});

it('replaces what a lenient turn names and is unknown, and says so', async () => {
  const turn = { lenient: true, unknownTopology: 'shop', model: 'gpt-9', runId: 'x' };
  const { spec, model, about, warnings } = await of(turn, 7);
  expect([spec.topology.id, model, about]).toEqual([7, undefined, undefined]);
  expect(warnings).toEqual([
    {
      code: 'UNKNOWN_MODEL',
      message: 'There is no model "gpt-9"; "runbook" answers instead.',
    },
    { code: 'UNKNOWN_RUN', message: 'There is no diagnosis x; the answer is not about it.' },
    {
      code: 'UNKNOWN_TOPOLOGY',
      message: 'There is no topology "shop"; the answer is about topology 7, as before.',
    },
  ]);
});

it.each([
  ['the topology of the diagnosis that is looked at', { runId: 'd1' }, 7, 'topology 8, as before'],
  ['all topologies where none was named before', {}, undefined, 'all topologies'],
  ['all topologies where the one before is deleted', {}, 99, 'all topologies'],
])('names %s instead of an unknown one', async (_, turn, kept, used) => {
  const { warnings } = await of({ lenient: true, topologyId: 55, ...turn }, kept);
  expect(warnings).toEqual([
    {
      code: 'UNKNOWN_TOPOLOGY',
      message: `There is no topology "55"; the answer is about ${used}.`,
    },
  ]);
});
