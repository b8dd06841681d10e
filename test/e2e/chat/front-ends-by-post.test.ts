import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Scene } from '../../support/scene.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterAll(() => scene.close());

type Json = Record<string, unknown>;

describe('consoles that ask by POST', () => {
  const post = (path: string, body: object) => api.ask<Json>('POST', path, { body });

  test('read the agents of a topology', async () => {
    const { status, code, data } = await post('/agent-bounds/query-hierarchy', { topologyId });
    expect([status, code]).toEqual([200, 'SUCCESS']);
    const agent = (agentRole: string) => ({
      boundId: expect.any(Number),
      agentId: expect.any(String),
      agentName: expect.any(String),
      agentRole,
    });
    expect(data).toEqual({
      topologyId,
      topologyName: expect.any(String),
      globalSupervisor: agent('GLOBAL_SUPERVISOR'),
      teams: [
        {
          nodeId: 'shop',
          nodeName: expect.any(String),
          supervisor: agent('TEAM_SUPERVISOR'),
          workers: [agent('WORKER')],
        },
      ],
    });
    expect((await post('/agent-bounds/query-hierarchy', { topologyId: 999 })).status).toBe(404);
  });

  test('read topologies by page and name, and the graph of one', async () => {
    const { data } = await post('/topologies/query', { page: 1, size: 1 });
    expect(data).toMatchObject({ page: 1, size: 1, items: [{ id: expect.any(Number) }] });
    expect((await post('/topologies/query', { name: 'no such' })).data).toMatchObject({ total: 0 });
    expect((await post('/topologies/graph/query', { topologyId })).data).toEqual({
      topologyId,
      nodes: [{ id: 'shop', name: expect.any(String), kind: 'service' }],
      relationships: [],
    });
  });

  test.each([
    ['/agent-bounds/query-hierarchy', {}, 400],
    ['/agent-bounds/query-hierarchy', { topologyId: 'shop' }, 400],
    ['/topologies/query', { page: 0 }, 400],
    ['/topologies/query', { size: 0 }, 400],
    ['/topologies/query', { size: 100_000 }, 400],
    ['/topologies/query', { name: 7 }, 400],
    ['/topologies/graph/query', {}, 400],
    ['/topologies/graph/query', { topologyId: 999 }, 404],
  ])('are refused what is not valid: %s %j', async (path, body, status) => {
    const { status: answered, message } = await post(path, body);
    expect([answered, message]).toEqual([status, expect.stringMatching(/\w/)]);
  });

  test('get an empty page behind the last one', async () => {
    const { data } = await post('/topologies/query', { page: 1_000, size: 1 });
    expect(data).toMatchObject({ page: 1_000, items: [], total: expect.any(Number) });
    expect(Number(data['total'])).toBeGreaterThan(0);
  });

  test.each([
    ['POST', '/api/system/info', 'GET'],
    ['PUT', '/api/oracle', 'POST'],
    ['DELETE', '/api/oracle/context/trees', 'GET'],
    ['GET', '/api/service/v1/topologies/graph/query', 'POST'],
  ])('are told the methods of an address: %s %s', async (method, path, allowed) => {
    const { status, headers } = await fetch(api.url + path, { method });
    expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining(allowed)]);
  });

  test('read name and version of the service', async () => {
    const response = await fetch(`${api.url}/api/system/info`);
    expect(await response.json()).toEqual({
      name: 'consilium',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });
});
