import { describe, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf } from '../../../test/support/loopback.js';
import { EgressDeniedError, EgressPolicy } from '../egress/egress-policy.js';
import { PROBE_POLICY } from '../probe-policy.js';
import { httpProbe } from './http-probe.js';
import { probe, serve, serviceAt } from '../../../test/support/processes/http-targets.js';

describe('the paths and redirects of http_probe', () => {
  test('follows redirects within the topology only', async () => {
    const target = await serve((_, response) => response.end('arrived'));
    const port = await serve((request, response) => {
      const to =
        request.url === '/known'
          ? `http://127.0.0.1:${target}/x`
          : request.url === '/loop'
            ? '/loop'
            : 'http://127.0.0.1:9/';
      response.writeHead(302, { location: to }).end();
    });
    const node = serviceAt(`http://127.0.0.1:${port}/known`);
    const nodes = [{ ...serviceAt(`http://127.0.0.1:${target}/`), id: 'other' }];
    const known = expectSound(
      await httpProbe.run({ node: 'target', tries: 1 }, contextOf(node, { nodes })),
    );
    expect(known).toMatchObject({
      status: 'ok',
      measurements: { status: 200, redirects: [`http://127.0.0.1:${target}/x`] },
    });

    const stranger = await probe(`http://127.0.0.1:${port}/stranger`);
    expect(stranger).toMatchObject({
      status: 'ok',
      partial: true,
      measurements: { status: 302, redirect_not_followed: 'http://127.0.0.1:9/' },
      issues: [
        {
          severity: 'info',
          symptom: 'advisory',
          title:
            'redirects to http://127.0.0.1:9/, which was not followed: only its reachability was measured',
        },
      ],
    });
    expect(known.summary).toMatch(
      new RegExp(`^answered 200 OK after a redirect to http://127\\.0\\.0\\.1:${target}/x in `),
    );
    expect(
      (await probe(`http://127.0.0.1:${port}/known`, { expectStatus: 302 })).measurements[
        'redirects'
      ],
    ).toBeUndefined();
    expect((await probe(`http://127.0.0.1:${port}/loop`)).issues[0]).toMatchObject({
      steps: 'redirect-loop',
      title: 'redirects without end (more than 5)',
    });
  });

  test('C3: does not follow a redirect to a node where it may not connect', async () => {
    const policy = { ...PROBE_POLICY, egress: EgressPolicy.of(undefined, '127.0.0.2', []) };
    const port = await serve((_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.2:9/' }).end();
    });
    const nodes = [{ ...serviceAt('http://127.0.0.2:9/'), id: 'other' }];
    const context = contextOf(serviceAt(`http://127.0.0.1:${port}/`), { nodes, policy });
    await expect(httpProbe.run({ node: 'target', tries: 1 }, context)).rejects.toThrow(
      EgressDeniedError,
    );
  });

  test('does not advise to make a target a node to which it may never connect', async () => {
    const detailOf = async (location: string) => {
      const port = await serve((_, response) => void response.writeHead(302, { location }).end());
      return (await probe(`http://127.0.0.1:${port}/`)).issues[0]?.detail;
    };
    expect(await detailOf('http://127.0.0.1:9/')).toMatch(/ or make its target a node\.$/);
    const denied =
      /does not redirect\. Connections to its target are not allowed: 169\.254\.0\.0\/16 is denied\.$/;
    expect(await detailOf('http://169.254.169.254/latest/')).toMatch(denied);
  });

  test('what is chosen below an allowed path makes no node unhealthy', async () => {
    const port = await serve((request, response) => {
      const known = ['/', '/items/1'].includes(request.url ?? '');
      response.writeHead(known ? 200 : request.url === '/ready' ? 503 : 404).end('no such item');
    });
    const url = `http://127.0.0.1:${port}/`;
    const paths = ['/ready', '/items/*'];
    expect(await probe(url, { paths }, { path: '/items/2' })).toMatchObject({
      status: 'ok',
      partial: true,
      measurements: { status: 404 },
      issues: [{ severity: 'info', title: 'answers 404 Not Found' }],
    });
    expect(await probe(url, { paths }, { path: '/items/1' })).toMatchObject({
      status: 'ok',
      partial: true,
      issues: [],
    });
    // What the topology names does.
    expect(await probe(url, { paths }, { path: '/ready' })).toMatchObject({
      status: 'failed',
      issues: [{ severity: 'critical' }],
    });
    const gone = `http://127.0.0.1:${port}/items/gone`;
    expect((await probe(gone, { paths }, { path: '/items/gone' })).status).toBe('failed');
  });

  test('H4: asks only for paths that the node allows', async () => {
    const asked: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      asked.push(request.url);
      response.end(request.url);
    });
    const url = `http://127.0.0.1:${port}/`;
    const paths = ['/deep?q=1', '/health/*'];
    for (const path of ['/deep?q=1', '/health/live', '/'])
      expect(
        (await probe(url, { paths: [...paths, '/'], expectBody: path }, { path })).status,
      ).toBe('ok');
    asked.length = 0;
    for (const path of [
      '/admin/wipe?all=1',
      '/deep',
      '/deep?q=12',
      '/health/../admin',
      '/health/%2e%2e/admin',
      '/health/..%2fadmin',
      '/health/..%5Cadmin',
      '/\\evil.example/',
      // Allowed as a path, but of another host.
      '/\\evil.example/health/live',
    ])
      await expect(probe(url, { paths }, { path })).rejects.toThrow(
        /path must be one that the attribute paths of node target allows: \/deep\?q=1, \/health\/\*/,
      );
    await expect(probe(url, {}, { path: '/deep' })).rejects.toThrow(/allows: none/);
    await expect(probe(url, { paths: ['deep'] }, { path: '/deep' })).rejects.toThrow(
      /attribute paths of node target must be a path or a list of paths/,
    );
    expect(asked).toEqual([]);
    expect(httpProbe.args.safeParse({ node: 'a', path: '//evil.example/' }).success).toBe(false);
  });
});
