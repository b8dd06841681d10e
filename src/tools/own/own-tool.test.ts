import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { anyEgress } from '../../../test/support/any-egress.js';
import { MCP_COMMAND } from '../../../test/support/programs/mcp-program.js';
import { contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import {
  DEPTH,
  echo,
  folderWith,
  mcp,
  secretOf,
} from '../../../test/support/sources/own-tools-folder.js';
import { ConsiliumError } from '../../domain/errors.js';
import { withMcp } from '../../sources/mcp/mcp-session.js';
import { definitionOf } from '../../sources/mcp/tool-definition.js';
import { EgressDeniedError, EgressPolicy } from '../egress/egress-policy.js';
import { policyOfTenant, PROBE_POLICY, type ProbePolicy } from '../probe-policy.js';
import { McpServers } from './ask-mcp.js';
import { readOwnTools } from './own-tool.js';

const toolOf = (file: object) => {
  const [tool] = readOwnTools({ folder: folderWith({ own: file }), secretOf, mcp }, []);
  if (tool === undefined) throw new Error('no tool was read');
  return tool;
};
async function run(file: object, args: object = {}, node = nodeOf('queue')) {
  const tool = toolOf(file);
  return expectSound(await tool.run(tool.args.parse({ node: 'target', ...args }), contextOf(node)));
}
describe('a tool of an MCP server', () => {
  const every = { id: 'every', kind: 'mcp' as const, command: MCP_COMMAND, env: {} };
  const servers = new McpServers([every], secretOf);
  const reach = { egress: anyEgress, secretOf };
  const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
  const weather = async (more: object = {}) => {
    const name = 'get-structured-content';
    const definition = await withMcp(every, reach, limits, async (session) => {
      const tool = (await session.tools()).find((each) => each.name === name);
      return tool ? definitionOf(tool) : '';
    });
    return {
      description: 'x',
      kinds: ['queue'],
      timeoutSeconds: 20,
      mcp: { source: 'every', tool: name, definition, arguments: { location: '{city}' } },
      parameters: { city: { type: 'string', description: 'A city' } },
      measurements: { humidity: 'humidity' },
      ...more,
    };
  };
  const read = (file: object) =>
    readOwnTools({ folder: folderWith({ own: file }), secretOf, mcp: servers }, []);

  test('measures, and judges by an expression', async () => {
    const judge = [{ when: 'output.humidity > 50', severity: 'warning', title: 'humid' }];
    const [tool] = read(await weather({ judge }));
    const args = tool?.args.parse({ node: 'target', city: 'Chicago' }) ?? { node: 'target' };
    expect(await tool?.run(args, contextOf(nodeOf('queue')))).toMatchObject({
      status: 'degraded',
      measurements: { humidity: 82 },
      issues: [{ title: 'humid', detail: 'It holds that output.humidity > 50.' }],
    });
  });

  test('fails where a required argument is missing, which checks no node', async () => {
    const [tool] = read(await weather({ measures: 'records' }));
    const run = tool?.run({ node: 'target' }, contextOf(nodeOf('queue')));
    await expect(run).rejects.toMatchObject({ failure: 'failed' });
  });

  test('must say what a result means, or check no node', async () => {
    const file = await weather();
    expect(() => read(file)).toThrow(ConsiliumError);
    const unlisted = { ...file, measures: 'records', mcp: { ...file.mcp, source: 'other' } };
    expect(() => read(unlisted)).toThrow(ConsiliumError);
  });

  test('applies to nodes that select something, if it looks at that', async () => {
    const file = await weather({ measures: 'records' });
    const [tool] = read({ ...file, mcp: { ...file.mcp, arguments: { location: '{selector}' } } });
    const node = nodeOf('queue');
    expect(tool?.appliesTo(node)).toBe(false);
    expect(tool?.appliesTo({ ...node, in: { every: 'Chicago' } })).toBe(true);
  });
});

describe('a tool with a command', () => {
  test('measures, and judges by thresholds', async () => {
    expect(await run(DEPTH, { depth: 4_000 })).toMatchObject({
      status: 'failed',
      measurements: { depth: 4_000 },
      issues: [{ severity: 'critical', symptom: 'erroring', title: '4000 messages wait' }],
      thresholds: [{ metric: 'depth', most: 100 }],
    });
    expect(await run(DEPTH, { depth: 4 })).toMatchObject({ status: 'ok', issues: [] });
  });

  test.each([
    ['queue.length', 'a number at queue.length of the output, where it has no value'],
    ['queue', 'a number at queue of the output, where it has no value'],
    ['name', 'a number at name of the output, where it has a string'],
  ])('fails where its output has no number at %s, which a threshold needs', async (path, why) => {
    const [threshold] = DEPTH.thresholds;
    const thresholds = [...DEPTH.thresholds, { ...threshold, measurement: 'waiting' }];
    const measurements = { depth: 'queue.depth', waiting: path };
    await expect(run({ ...DEPTH, measurements, thresholds }, { depth: 4 })).rejects.toThrow(
      `a threshold needs the measurement waiting: ${why}`,
    );
  });

  test('is judged by its exit code where its output lacks what a judgement reads', async () => {
    const exit = { '4': { severity: 'critical', title: 'the backup is broken' } };
    const judge = [{ when: 'output.age > 5', severity: 'warning', title: 'old' }];
    expect(await run(echo('fail.sh', { exit, judge }))).toMatchObject({
      issues: [{ severity: 'critical', title: 'the backup is broken' }],
    });
  });

  test('has its parameters as JSON Schema, and applies to its kinds', () => {
    const tool = toolOf(DEPTH);
    expect(z.toJSONSchema(tool.args)).toMatchObject({
      properties: { depth: { type: 'integer', maximum: 5_000 }, node: { type: 'string' } },
      required: ['node'],
      additionalProperties: false,
    });
    expect(tool.args.safeParse({ node: 'target', depth: 6_000 }).success).toBe(false);
    expect([tool.appliesTo(nodeOf('queue')), tool.appliesTo(nodeOf('tcp'))]).toEqual([true, false]);
  });

  test('gets a clean environment and the secrets that its file names', async () => {
    const { measurements } = await run(echo('env.sh', { env: { API: '${env:TOKEN}' } }));
    expect(measurements['output']).toBe(
      'API=s3cret-value LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin',
    );
  });

  describe('at an address that tools may not connect to', () => {
    const probe = echo('depth.sh', { command: ['depth.sh', '{host}', '{port}'], tenants: 'all' });
    const ran = (file: object, endpoint: string, policy: ProbePolicy) =>
      toolOf(file).run({ node: 'target' }, contextOf(nodeOf('queue', endpoint), { policy }));
    const acme = policyOfTenant(PROBE_POLICY, 'acme');
    const ownRedis = EgressPolicy.of(undefined, undefined, [{ host: '127.0.0.1', port: 6379 }]);

    test.each<[string, string, ProbePolicy]>([
      ['a name of the machine, for another tenant', 'tcp://localhost:26902', acme],
      ['a metadata service', 'tcp://169.254.169.254:80', PROBE_POLICY],
      ['the Redis of the service', 'tcp://localhost:6379', { ...PROBE_POLICY, egress: ownRedis }],
      [
        'what EGRESS_ALLOW does not name',
        'tcp://localhost:26902',
        { ...PROBE_POLICY, egress: EgressPolicy.of('8.8.8.8', undefined, []) },
      ],
    ])('does not run: %s', async (_, endpoint, policy) => {
      await expect(ran(probe, endpoint, policy)).rejects.toThrow(EgressDeniedError);
    });

    test('runs where it is not given the address', async () => {
      const file = echo('depth.sh', { command: ['depth.sh', '{node}'], tenants: 'all' });
      expect(await ran(file, 'tcp://localhost:26902', acme)).toMatchObject({ status: 'ok' });
    });
  });

  test('runs for other tenants only if its file says so', () => {
    const denied = (tenants?: string, tenant = 'acme') =>
      toolOf(echo('env.sh', { ...(tenants !== undefined && { tenants }) })).denied?.(
        nodeOf('queue'),
        policyOfTenant(PROBE_POLICY, tenant),
      )?.error.message;
    expect(denied()).toContain('its file does not say `tenants: all`');
    expect(denied('default')).toContain('topologies of the tenant `default` only');
    expect(denied('all')).toBeUndefined();
    expect(denied(undefined, 'default')).toBeUndefined();
  });

  test('that fails is no measurement, unless its file says what the code means', async () => {
    await expect(run(echo('fail.sh'))).rejects.toThrow('it ended with code 4: broken');
    const exit = { '4': { severity: 'warning', title: 'is broken' } };
    const measurements = { waiting: 'waiting' };
    const thresholds = [{ measurement: 'waiting', above: 1, severity: 'critical', title: 'x' }];
    expect(await run(echo('fail.sh', { exit, measurements, thresholds }))).toMatchObject({
      status: 'degraded',
      issues: [{ title: 'is broken', detail: 'It ended with code 4. It said: "broken".' }],
    });
    expect(await run(echo('mute.sh', { exit }))).toMatchObject({
      issues: [{ title: 'is broken', detail: 'It ended with code 4 and wrote nothing.' }],
    });
  });

  test('is ended with its children when its time is up, and when it writes too much', async () => {
    await expect(run(echo('loud.sh'))).rejects.toThrow('more than 64 KiB');
    await expect(run(echo('slow.sh', { timeoutSeconds: 0.3 }))).rejects.toThrow(/300 ms/);
  });

  test('gets no value that a program could take for an option', async () => {
    const text = { parameters: { to: { type: 'string', description: 'x' } } };
    const file = echo('depth.sh', { ...text, command: ['depth.sh', '{to}'] });
    await expect(run(file, { to: '--exec=sh' })).rejects.toThrow('begin with a dash');
    await expect(run(file)).rejects.toThrow('it needs to');
  });
});

describe('a tool with a request', () => {
  const targets = new Loopback();
  afterAll(() => targets.close());
  const file = {
    description: 'x',
    kinds: ['queue'],
    http: { path: '/stats/{name}' },
    parameters: { name: { type: 'string', description: 'Name' } },
    measurements: { ready: 'queues.0.ready' },
  };

  test('reaches only the endpoint of its node', async () => {
    const asked: (string | undefined)[] = [];
    const port = await targets.open(
      createServer((request, response) => {
        asked.push(request.url);
        response.end('{"queues":[{"ready":7}]}');
      }),
    );
    const node = nodeOf('queue', `http://127.0.0.1:${port}/`);
    expect(await run(file, { name: '../x y' }, node)).toMatchObject({ measurements: { ready: 7 } });
    expect(asked).toEqual(['/stats/..%2Fx%20y']);
    await expect(run({ ...file, http: { path: '//other.example/' } }, {}, node)).rejects.toThrow(
      'another host',
    );
  });

  test.each([
    ['..', '..', 'must not be . or ..'],
    ['.', 'b', 'must not be . or ..'],
    ['a', '.', 'must not be . or ..'],
    ['', 'b', undefined],
    ['...', '..%2f', undefined],
  ])('stays on the path of its file: %j, %j', async (a, b, refused) => {
    const asked: (string | undefined)[] = [];
    const port = await targets.open(
      createServer((request, response) => {
        asked.push(request.url);
        response.end('{"queues":[{"ready":7}]}');
      }),
    );
    const text = { type: 'string', description: 'x' };
    const two = {
      ...file,
      http: { path: '/api/queues/{a}/{b}/x?y=..' },
      parameters: { a: text, b: text },
    };
    const asking = run(two, { a, b }, nodeOf('queue', `http://127.0.0.1:${port}/`));
    if (refused !== undefined) await expect(asking).rejects.toThrow(refused);
    else await asking;
    const path = `/api/queues/${a}/${encodeURIComponent(b)}/x?y=..`;
    expect(asked).toEqual(refused === undefined ? [path] : []);
  });

  test('takes no value for a host', async () => {
    const port = await targets.open(createServer((_, response) => response.end('{}')));
    const text = { type: 'string', description: 'x' };
    const two = { ...file, http: { path: '/{a}/{b}:{port}' }, parameters: { a: text, b: text } };
    const asking = run(two, { a: '', b: '127.0.0.1' }, nodeOf('queue', `http://127.0.0.1:${port}`));
    await expect(asking).rejects.toThrow('another host');
  });
});

test('the shipped example is valid', () => {
  const folder = join(import.meta.dirname, '../../../examples/tools');
  expect(readOwnTools({ folder, secretOf, mcp }, []).map(({ name }) => name)).toEqual([
    'queue_depth',
  ]);
});
