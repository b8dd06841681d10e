import { describe, expect, it } from '@jest/globals';
import { ConsiliumError } from '../domain/errors.js';
import { putTopology } from './put-topology.js';

const warnings = [{ path: 'nodes[0].kind', message: 'unknown kind "servce"' }];

/** A service that has one topology, as it shows it, and the calls that it got. */
function having(stored: Record<string, unknown> | undefined) {
  const calls: string[] = [];
  return {
    calls,
    createTopology: async () => {
      calls.push('create');
      if (stored !== undefined)
        throw new ConsiliumError('TOPOLOGY_EXISTS', 'There is a topology 7 already');
      return { warnings };
    },
    topology: async () => stored ?? {},
    replaceTopology: async () => {
      calls.push('replace');
      return { warnings };
    },
  };
}

const node = { id: 'web', name: 'Web', kind: 'service', endpoint: 'http://127.0.0.1:1/' };
const given = { id: 7, name: 'Shop', nodes: [node] };
const stored = {
  ...given,
  nodes: [{ ...node, dependsOn: [], attributes: {} }],
  globalSupervisor: { agentId: '1', name: 'Global supervisor' },
  teams: [{ name: 'Shop' }],
  version: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

describe('putTopology', () => {
  it('creates what is not there', async () => {
    const service = having(undefined);
    expect(await putTopology(service, given, false)).toEqual({ id: 7, warnings });
    expect(service.calls).toEqual(['create']);
  });

  it('leaves what is there with the same content', async () => {
    const service = having(stored);
    expect(await putTopology(service, given, false)).toMatchObject({ id: 7 });
    expect(service.calls).toEqual(['create']);
  });

  it.each([
    ['another name', { ...stored, name: 'Bank' }],
    ['one node more', { ...stored, nodes: [...stored.nodes, { ...node, id: 'api' }] }],
    [
      'a threshold that the file has no more',
      { ...stored, nodes: [{ ...stored.nodes[0], attributes: { slowMs: 5 } }] },
    ],
    ['limits', { ...stored, limits: { maxIterations: 3 } }],
  ])('does not touch one with %s, unless it may replace it', async (_, other) => {
    const service = having(other);
    await expect(putTopology(service, given, false)).rejects.toMatchObject({
      code: 'TOPOLOGY_EXISTS',
      message: expect.stringMatching(/--replace/),
    });
    expect(service.calls).toEqual(['create']);
    expect(await putTopology(service, given, true)).toMatchObject({ id: 7 });
    expect(service.calls).toEqual(['create', 'create', 'replace']);
  });

  it('sends a password again, because it cannot be compared', async () => {
    const secret = { ...given, nodes: [{ ...node, endpoint: 'redis://u:hunter2@127.0.0.1:1' }] };
    const shown = {
      ...stored,
      nodes: [{ ...node, endpoint: 'redis://u:***@127.0.0.1:1', dependsOn: [], attributes: {} }],
    };
    const service = having(shown);
    expect(await putTopology(service, secret, false)).toMatchObject({ id: 7 });
    expect(service.calls).toEqual(['create', 'replace']);
  });

  it('passes on every other refusal', async () => {
    const refusal = new ConsiliumError('VALIDATION_FAILED', 'The topology has a fault');
    const service = { ...having(stored), createTopology: () => Promise.reject(refusal) };
    await expect(putTopology(service, given, true)).rejects.toBe(refusal);
  });
});
