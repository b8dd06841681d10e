import { describe, expect, it } from '@jest/globals';
import { ConsiliumError } from '../domain/errors.js';
import { Client } from './index.js';
import { refuse, stubService } from '../../test/support/processes/stub-service.js';

const serve = stubService();

describe('Client', () => {
  it.each<[string, (client: Client, options: { signal: AbortSignal }) => Promise<unknown>]>([
    [
      'trigger',
      (client, options) => client.trigger({ topologyId: 1, userMessage: 'why?' }, options),
    ],
    ['chat', (client, options) => client.chat({ message: 'why?' }, options)],
    ['follow', (client, options) => client.follow('r', options).next()],
    ['cancel', (client, options) => client.cancel('r', options)],
    ['show', (client, options) => client.show('r', options)],
    ['topology', (client, options) => client.topology(1, options)],
    ['createTopology', (client, options) => client.createTopology({}, options)],
    ['replaceTopology', (client, options) => client.replaceTopology(1, {}, options)],
  ])('%s stops waiting when its signal fires', async (_, call) => {
    const abort = new AbortController();
    const { client } = await serve(() => abort.abort());
    await expect(call(client, { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('yields runs page by page, as they are read', async () => {
    const { client, asked } = await serve(({ url = '' }, response) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      const data =
        cursor === null
          ? { items: [{ runId: 'a' }, { runId: 'b' }], nextCursor: 'x/1' }
          : { items: [{ runId: 'c' }], nextCursor: null };
      response.end(JSON.stringify({ code: 'SUCCESS', message: 'OK', data }));
    });
    const seen: string[] = [];
    for await (const { runId } of client.runs({ topologyId: 7, status: 'failed' }))
      seen.push(runId);
    expect(seen).toEqual(['a', 'b', 'c']);
    const path = '/api/service/v1/executions?topologyId=7&status=failed';
    expect(asked.map(({ url }) => url)).toEqual([path, `${path}&cursor=x%2F1`]);
  });

  it('reads conversations and deletes topologies', async () => {
    const { client, asked } = await serve((_, response) =>
      response.end(JSON.stringify({ code: 'SUCCESS', message: 'OK', data: { id: 'a/b' } })),
    );
    expect(await client.conversation('a/b')).toEqual({ id: 'a/b' });
    await client.deleteTopology(7);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/service/v1/conversations/a%2Fb',
      'DELETE /api/service/v1/topologies/7',
    ]);
  });

  it('throws a refusal with its code, message and faults', async () => {
    const errors = [{ path: 'teams[0].name', message: 'must not be blank' }];
    const { client } = await serve((_, response) =>
      refuse(response, 400, 'VALIDATION_FAILED', {
        message: 'The topology has 1 fault.',
        data: { errors },
      }),
    );
    const error: unknown = await client.createTopology({}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConsiliumError);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', faults: errors });
    expect((error as Error).message).toBe(
      'The topology has 1 fault.\n  teams[0].name must not be blank',
    );
  });

  it('names the first faults and the number of the others in the message', async () => {
    const errors = Array.from({ length: 7 }, (_, i) => ({
      path: `nodes[${i}]`,
      message: 'must be an object',
    }));
    const { client } = await serve((_, response) =>
      refuse(response, 400, 'VALIDATION_FAILED', {
        message: 'The topology has 7 faults',
        data: { errors },
      }),
    );
    await expect(client.createTopology({})).rejects.toThrow(
      /^The topology has 7 faults\n {2}nodes\[0\] must be an object\n.*\n {2}and 2 more$/s,
    );
  });

  it.each(['not a url', '', '127.0.0.1:3000', 'ftp://127.0.0.1'])(
    'throws for a text that is not the URL of a service: "%s"',
    (url) => {
      expect(() => new Client(url)).toThrow(
        new TypeError(`"${url}" is not the URL of a service, such as http://127.0.0.1:3000`),
      );
    },
  );

  it('reports if no service or another program answers', async () => {
    const { client } = await serve((_, response) => response.writeHead(502).end('<html>'));
    await expect(client.show('r')).rejects.toThrow(
      /answered 502, but not as a Consilium service does/,
    );
    await expect(new Client('http://127.0.0.1:9').show('r')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
