import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { Api } from '../../support/api.js';
import { keyedService } from '../../support/processes/keyed-service.js';
import {
  expectJson,
  operationsOf,
  servedDocument,
  type OpenApi,
  type Operation,
} from '../../support/openapi.js';
import { Scene } from '../../support/scene.js';

const keyed = keyedService();
let scene: Scene;
let api: Api;
let document: OpenApi;
let implemented: string[];
beforeAll(async () => {
  implemented = await routes();
  scene = new Scene();
  api = await scene.service();
  document = await servedDocument(api);
});
afterAll(() => scene.close());

type Request = Omit<RequestInit, 'method'>;
interface Called {
  name: string;
  method: string;
  path: string;
  operation: Operation;
}
const changing = () => operationsOf(document).filter(({ method }) => method !== 'GET');

/** Calls an operation, with ids of things that do not exist. */
const call = ({ url }: Api, { method, path }: Called, request: Request = {}, query = '') =>
  fetch(`${url}${path.replace(/\{\w+\}/g, '987654')}${query}`, { ...request, method });

/**
 * Calls an operation and expects the described error.
 * @returns its code, and the headers of the response
 */
async function refused(of: Api, called: Called, request: Request, query = '') {
  const response = await call(of, called, request, query);
  const answer = (await response.json()) as { code: string };
  expectJson(`${called.name}${query}`, called.operation, response.status, answer);
  const described = called.operation.responses[response.status]?.headers ?? {};
  return { code: answer.code, headers: response.headers, described: Object.keys(described) };
}
const json = { 'content-type': 'application/json' };

const pathsOf = (route: object) =>
  [Reflect.getMetadata(PATH_METADATA, route) as string | string[]].flat();

/** The routes of a controller, as paths of OpenAPI without the base path. */
function routesOf(controller: { prototype: Record<string, object> }): string[] {
  const { prototype } = controller;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name] as object;
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return pathsOf(handler).map((path) => {
      const whole = `/${[...pathsOf(controller), path].join('/')}`.replace(/\/+/g, '/');
      const plain = whole.replace(/(.)\/$/, '$1').replace(/:(\w+)/g, '{$1}');
      return `${RequestMethod[method]} ${plain}`;
    });
  });
}

/** The routes of all controllers. */
async function routes(): Promise<string[]> {
  const root = join(import.meta.dirname, '../../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const modules: object[] = [];
  for (const file of files.filter((name) => name.endsWith('.controller.ts')))
    modules.push((await import(join(root, file))) as object);
  return modules
    .flatMap((module) => Object.values(module) as unknown[])
    .filter((each) => typeof each === 'function' && Reflect.hasMetadata(PATH_METADATA, each))
    .flatMap((each) => routesOf(each as Parameters<typeof routesOf>[0]))
    .sort();
}

test('every route is described, and nothing else', () => {
  const described = operationsOf(document).map(({ name }) => name.replace('/api/service/v1', ''));
  expect(described.sort()).toEqual(implemented);
});

test('every path takes the methods that are described, and refuses others with 405', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const called = { path, method: 'PROPPATCH', name: path, operation: { responses: {} } };
    const response = await call(api, called);
    const names = Object.keys(methods).map((method) => method.toUpperCase());
    const expected = [...names, ...(names.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, expected]);
  }
});

test('every parameter has a schema, and every id of a path is one', () => {
  for (const { name, path, operation } of operationsOf(document)) {
    const parameters = operation.parameters ?? [];
    const without = parameters.filter(({ schema }) => Object.keys(schema ?? {}).length === 0);
    expect([name, without]).toEqual([name, []]);
    const needed = parameters.filter((each) => each.in === 'query' && each.required);
    const isCompared = name.endsWith('/executions/compare');
    expect([name, needed.map((each) => each.name)]).toEqual([name, isCompared ? ['b'] : []]);
    const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id);
    const described = parameters.filter((each) => each.in === 'path').map((each) => each.name);
    expect([name, described.sort()]).toEqual([name, ids.sort()]);
  }
});

test('every stream has its media type and says which run it is', () => {
  const streams = operationsOf(document).filter(
    ({ operation }) => operation.responses['200']?.content?.['text/event-stream'],
  );
  expect(streams.length).toBeGreaterThan(7);
  for (const { name, operation } of streams) {
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      if (!(Number(status) < 400))
        expect([name, status, Object.keys(content)]).toEqual([name, status, ['application/json']]);
    const headers = Object.keys(operation.responses['200']?.headers ?? {});
    const isOfRun = !/changes|mcp/.test(name);
    expect([name, headers.includes('X-Run-Id')]).toEqual([name, isOfRun]);
  }
});

describe('what is refused is described, with its headers:', () => {
  test('a request without a credential', async () => {
    for (const called of operationsOf(document)) {
      if (called.operation.security) {
        expect((await call(keyed.api, called)).status).toBe(200);
        continue;
      }
      const { code, headers, described } = await refused(keyed.api, called, {});
      expect([called.name, code, described]).toEqual([
        called.name,
        'UNAUTHENTICATED',
        ['WWW-Authenticate'],
      ]);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('a page of another origin', async () => {
    const headers = { origin: 'https://evil.example' };
    for (const called of changing())
      expect([called.name, (await refused(api, called, { headers })).code]).toEqual([
        called.name,
        'FORBIDDEN_ORIGIN',
      ]);
  });

  test.each([
    [
      'that is no JSON',
      'UNSUPPORTED_MEDIA_TYPE',
      { headers: { 'content-type': 'text/html' }, body: '<p>' },
    ],
    ['that is cut', 'VALIDATION_FAILED', { headers: json, body: '{"a":' }],
    [
      'that is large',
      'PAYLOAD_TOO_LARGE',
      { headers: json, body: `{"a":"${'x'.repeat(1_100_000)}"}` },
    ],
  ])('a body %s', async (_, code, request) => {
    for (const called of changing())
      expect([called.name, (await refused(api, called, request)).code]).toEqual([
        called.name,
        code,
      ]);
  });

  test('an id that cannot be decoded', async () => {
    for (const called of operationsOf(document)) {
      if (!called.path.includes('{')) continue;
      const path = called.path.replace(/\{\w+\}/, '%E0%A4%A').replace(/\{\w+\}/g, '1');
      const { code } = await refused(api, { ...called, path }, {});
      expect([called.name, code]).toEqual([called.name, 'VALIDATION_FAILED']);
    }
  });

  test('a value of a query out of its bounds', async () => {
    let count = 0;
    for (const called of operationsOf(document))
      for (const { in: place, name, schema = {} } of called.operation.parameters ?? []) {
        if (place !== 'query') continue;
        const { minimum, maximum, maxLength, enum: values } = schema;
        const wrong = [
          ...(typeof minimum === 'number' ? [String(minimum - 1)] : []),
          ...(typeof maximum === 'number' ? [String(BigInt(maximum) + 1n)] : []),
          ...(typeof maxLength === 'number' ? ['x'.repeat(maxLength + 1)] : []),
          ...(values ? ['none-of-them'] : []),
        ];
        for (const value of wrong) {
          // A stream refuses what is of pages, whatever its value.
          const accept = { accept: 'application/json' };
          const request =
            called.method === 'GET'
              ? { headers: accept }
              : { headers: { ...json, ...accept }, body: JSON.stringify(exampleOf(called)) };
          const { code } = await refused(api, called, request, `?${name}=${value}`);
          // An unknown run is refused before the query of its pages is read.
          const isUnknown = called.path.includes('{runId}') && code === 'RUN_NOT_FOUND';
          expect([called.name, name, isUnknown || code]).toEqual([
            called.name,
            name,
            isUnknown || 'VALIDATION_FAILED',
          ]);
          count++;
        }
      }
    expect(count).toBeGreaterThan(25);
  });
});

/** The example of a body; undefined if the operation takes none. */
function exampleOf({ operation }: Called): unknown {
  const { schema, examples } = operation.requestBody?.content['application/json'] ?? {};
  const [named] = Object.values(examples ?? {}) as { value: unknown }[];
  if (named) return named.value;
  const reference = (schema?.['$ref'] as string | undefined)?.replace(/.*\//, '') ?? '';
  const { properties } = document.components.schemas[reference] ?? {};
  if (!properties) return schema?.['example'];
  const examplesOf = Object.entries(properties).filter(([, { example }]) => example !== undefined);
  return Object.fromEntries(examplesOf.map(([name, { example }]) => [name, example]));
}

test('every body has an example, which is valid, and every answer is described', async () => {
  for (const called of operationsOf(document)) {
    // It does not end.
    if (called.path.endsWith('/changes')) continue;
    const { name, operation } = called;
    const example = exampleOf(called);
    expect([name, example !== undefined]).toEqual([name, operation.requestBody !== undefined]);
    const headers = { ...json, accept: 'application/json, text/event-stream' };
    const body = example === undefined ? {} : { body: JSON.stringify(example) };
    const request = called.method === 'GET' ? {} : { ...body, headers };
    const response = await call(api, called, request);
    const text = await response.text();
    const type = response.headers.get('content-type')?.replace(/;.*/, '') ?? '';
    const described = operation.responses[response.status]?.content ?? {};
    expect([name, text, Object.keys(described)]).toEqual([
      name,
      example === undefined ? text : expect.not.stringContaining('VALIDATION_FAILED'),
      type === '' ? [] : expect.arrayContaining([type]),
    ]);
    if (type === 'application/json') expectJson(name, operation, response.status, JSON.parse(text));
  }
});
