import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
beforeAll(async () => {
  ({ scene, api } = await Scene.ofShop());
});
afterAll(() => scene.close());

describe('topologies', () => {
  const yaml = (method: string, path: string, body: string) =>
    fetch(api.at(path), { method, body, headers: { 'content-type': 'application/yaml' } });

  test('are stored and replaced as YAML; the id of the path is enough', async () => {
    const nodes =
      'nodes:\n  - { id: web, name: Web, kind: service, endpoint: "http://127.0.0.1:1/" }\n';
    expect((await yaml('POST', '/topologies', `id: 31\nname: Yaml\n${nodes}`)).status).toBe(201);
    const replaced = await yaml('PUT', '/topologies/31', `name: Again\n${nodes}`);
    expect([replaced.status, await replaced.json()]).toEqual([
      200,
      expect.objectContaining({
        data: expect.objectContaining({ id: 31, name: 'Again', version: 2 }),
      }),
    ]);
  });

  test.each([
    ['that cannot be read', 'id: [1\nname: x'],
    ['of two documents', 'id: 32\nname: x\nnodes: []\n---\n: : [ {'],
    ['with a key twice', 'id: 1\nid: 2\nname: x\nnodes: []'],
    ['nested deeply', '['.repeat(20_000)],
    ['nested deeply in blocks', '- '.repeat(20_000)],
    ['with very many keys', Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n')],
  ])('refuses YAML %s, at once', async (_, body) => {
    const response = await yaml('POST', '/topologies', body);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    ]);
  });

  test('with a circle are refused, with its nodes', async () => {
    const { endpoint } = await httpTarget(scene.targets, healthy);
    const { status, text } = await api.ask('POST', '/topologies', {
      body: topologyOf({ x: { endpoint, dependsOn: ['y'] }, y: { endpoint, dependsOn: ['x'] } }),
    });
    expect([status, text]).toEqual([
      400,
      expect.stringContaining('closes a cycle of dependencies: x → y → x'),
    ]);
  });
});

describe('a refusal names its fault in `message`', () => {
  const json = { 'content-type': 'application/json' };
  const chat = '{"message":"x"}';
  const topology = { id: 7, name: 'x', nodes: [{ id: 'a', name: 'A', kind: 'tcp', endpont: 'b' }] };

  test.each([
    [
      'malformed JSON',
      '/chat/stream',
      '{"message":\n }',
      'body must be a valid JSON object: expected a value at line 2, column 2',
    ],
    ['malformed JSON', '/api/oracle/stream', '[1', 'body must be a valid JSON object'],
    ['deep JSON', '/api/chat', '['.repeat(100), 'must not be nested deeper than 32 levels'],
    ['an unknown format', '/chat/stream?format=oracel', chat, 'format must be one of executor'],
    [
      'a misspelt key of a run',
      '/api/service/v1/executions/trigger',
      '{"topologyID":1}',
      'topologyID unknown key; did you mean "topologyId"?',
    ],
    [
      'an abbreviated key',
      '/chat/stream',
      '{"msg":"x"}',
      'message must be a text; msg unknown key; did you mean "message"?',
    ],
    ['a field of another type', '/chat/stream', '{"message":7}', 'message must be a text'],
    [
      'a faulty topology',
      '/api/service/v1/topologies',
      JSON.stringify(topology),
      'nodes[0].endpont unknown key; did you mean "endpoint"?',
    ],
  ])('%s at %s', async (_, path, body, fault) => {
    const response = await fetch(api.url + path, { method: 'POST', headers: json, body });
    const { message } = (await response.json()) as { message: string };
    expect([response.status, message]).toEqual([400, expect.stringContaining(fault)]);
  });

  test.each([
    ['/api/service/v1/executions?staus=failed', 'staus unknown parameter; did you mean "status"?'],
    ['/api/service/v1/topologies?limt=1', 'limt unknown parameter; did you mean "limit"?'],
    ['/api/service/v1/conversations?curser=1', 'curser unknown parameter; did you mean "cursor"?'],
  ])('a misspelt parameter of a list: %s', async (path, fault) => {
    const response = await fetch(api.url + path);
    const { message } = (await response.json()) as { message: string };
    expect([response.status, message]).toEqual([400, expect.stringContaining(fault)]);
  });

  test.each([
    ['a topology', '# shop\n\nid: 7\nname: x\n', true],
    ['a document with its marker', '---\nid: 7\n', true],
    ['a topology without its line breaks, as from curl -d', 'id: 7name: x', true],
    ['broken JSON', '{"id": 7,\n"name": }', false],
    ['other text', 'hello', false],
    ['many blank lines', '\n'.repeat(100_000), false],
  ])('%s that is sent as JSON', async (_, body, isYaml) => {
    const send = async (path: string) => {
      const response = await fetch(api.url + path, { method: 'POST', headers: json, body });
      expect(response.status).toBe(400);
      return ((await response.json()) as { message: string }).message;
    };
    const message = isYaml
      ? "is YAML, but was sent as JSON; send it as application/yaml (with curl: --data-binary and -H 'Content-Type: application/yaml')"
      : 'must be a valid JSON object';
    expect(await send('/api/service/v1/topologies')).toContain(`body ${message}`);
    // Takes no YAML.
    if (isYaml) expect(await send('/chat/stream')).toContain('body must be a valid JSON object');
  });

  test('a body without its type, as curl sends it', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = async (path: string) => {
      const response = await fetch(api.url + path, { method: 'POST', headers, body: 'id: 7' });
      expect(response.status).toBe(415);
      return ((await response.json()) as { message: string }).message;
    };
    expect(await send('/api/service/v1/topologies')).toBe(
      "The body must be application/json or application/yaml, not application/x-www-form-urlencoded; with curl: --data-binary and -H 'Content-Type: application/yaml'",
    );
    expect(await send('/chat/stream')).toMatch(/with curl: -H 'Content-Type: application\/json'$/);
  });
});

test('a method that a path does not take is 405 with Allow', async () => {
  for (const [method, path, allow] of [
    ['PATCH', '/api/service/v1/topologies', 'GET, HEAD, POST'],
    ['PUT', '/chat/stream', 'POST'],
    ['DELETE', '/health/live', 'GET, HEAD'],
    ['PATCH', '/api/service/v1/topologies/7', 'DELETE, GET, HEAD, PUT'],
    ['DELETE', '/api/service/v1/executions/x/events', 'GET, HEAD'],
    // No run has this id.
    ['GET', '/api/service/v1/executions/trigger', 'POST'],
    ['DELETE', '/api/service/v1/executions/cancel', 'POST'],
    // No topology has this one.
    ['GET', '/api/service/v1/topologies/query', 'POST'],
    ['DELETE', '/api/service/v1/topologies/check', 'POST'],
  ] as const) {
    const response = await fetch(api.url + path, { method });
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, allow]);
    expect(((await response.json()) as { code: string }).code).toBe('METHOD_NOT_ALLOWED');
  }
});
