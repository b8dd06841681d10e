import { describe, expect, test } from '@jest/globals';
import { topologiesOverHttp, wire } from '../support/processes/topologies-app.js';

const { ask } = topologiesOverHttp();

describe('the service, asked over HTTP', () => {
  test('returns every fault and stores nothing', async () => {
    const answer = await ask('POST', '', {
      ...wire(60),
      name: '',
      nodes: [{ id: 'a', name: 'A', kind: 'service', endpoint: 'x', dependsOn: ['b'] }],
    });
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      message: 'The topology has 3 faults',
    });
    expect((answer.data['errors'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'name',
      'nodes[0].endpoint',
      'nodes[0].dependsOn[0]',
    ]);
    expect(await ask('GET', '/60')).toMatchObject({ status: 404 });
  });

  test('returns faults of endpoints, attributes and names together, in the order of the document', async () => {
    const answer = await ask('POST', '', {
      ...wire(61),
      nodes: [
        {
          id: 'a',
          name: 'A',
          kind: 'redis',
          endpoint: 'http://x',
          attributes: { timeoutMs: 'soon' },
        },
      ],
      globalSupervisor: { agentId: '1', name: 'Head', model: 'nope', behaviour: 'none' },
    });
    expect((answer.data['errors'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'nodes[0].endpoint',
      'nodes[0].attributes.timeoutMs',
      'globalSupervisor.model',
      'globalSupervisor.behaviour',
    ]);
  });

  test('returns warnings about probable mistakes', async () => {
    const node = { id: 'a', name: 'A', kind: 'tcp', endpoint: '127.0.0.1:1' };
    const written = {
      ...wire(64),
      nodes: [
        { ...node, attributes: { slowMS: 3 } },
        { ...node, id: 'b', kind: 'servce', attributes: { owner: 'me' } },
        { ...node, id: 'c', kind: 'toaster' },
      ],
    };
    const warnings = [
      {
        path: 'nodes[0].attributes.slowMS',
        message: 'unknown attribute "slowMS" has no effect; did you mean "slowMs"?',
      },
      {
        path: 'nodes[1].kind',
        message: expect.stringMatching(/^unknown kind "servce"; did you mean "service"\?/),
      },
      {
        path: 'nodes[1].attributes.owner',
        message: 'unknown attribute "owner" has no effect',
      },
      {
        path: 'nodes[2].kind',
        message: expect.stringMatching(
          /^no tool can measure node "c" of kind "toaster"; kinds with tools: service, /,
        ),
      },
    ];
    const created = await ask('POST', '', written);
    expect(created.data['warnings']).toEqual(warnings);
    // What was answered may be put back.
    const replaced = await ask('PUT', '/64', created.data);
    expect([replaced.status, replaced.data['warnings']]).toEqual([200, warnings]);
    expect((await ask('GET', '/64')).data).not.toHaveProperty('warnings');
    await ask('DELETE', '/64');
  });

  test('names faults in the order of the document', async () => {
    const node = { name: 'A', kind: 'tcp', endpoint: '127.0.0.1:1' };
    const written = {
      nodes: [
        { ...node, id: 'a', dependsOn: ['x'], attributes: { timeoutMs: 3 } },
        { ...node, id: 'b', kind: 5, dependsOn: ['y'] },
      ],
      teams: 3,
      surplus: 1,
    };
    const refused = await ask('POST', '', written);
    expect(refused.data['errors']).toMatchObject(
      [
        'id',
        'name',
        'nodes[0].dependsOn[0]',
        'nodes[0].attributes.timeoutMs',
        'nodes[1].kind',
        'nodes[1].dependsOn[0]',
        'teams',
        'surplus',
      ].map((path) => ({ path })),
    );
  });

  test('a password is not carried to another host', async () => {
    await ask('POST', '', wire(61));
    const moved = wire(61);
    (moved.nodes[1] as { endpoint: string }).endpoint = 'redis://:***@elsewhere:1';
    expect(await ask('PUT', '/61', moved)).toMatchObject({
      status: 400,
      data: {
        errors: [{ path: 'nodes[1].endpoint', message: expect.stringContaining('redacted') }],
      },
    });
    await ask('DELETE', '/61');
  });

  test('the id of the body is the id of the path', async () => {
    expect(await ask('PUT', '/1', wire(2))).toMatchObject({
      status: 400,
      data: { errors: [{ path: 'id' }] },
    });
    expect(await ask('PUT', '/1', { ...wire(1), id: '1' })).toMatchObject({
      status: 400,
      data: { errors: [{ path: 'id' }] },
    });
  });

  test('refuses an unknown model or behaviour with a suggestion', async () => {
    const answer = await ask('POST', '', {
      ...wire(61),
      globalSupervisor: { agentId: '1', name: 'Head', model: 'runbok', behaviour: 'unknown' },
    });
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      message: 'The topology has 2 faults',
    });
    expect(JSON.stringify(answer)).toContain('"path":"globalSupervisor.behaviour"');
    expect(JSON.stringify(answer)).toContain(
      JSON.stringify({
        path: 'globalSupervisor.model',
        message: 'unknown model "runbok": did you mean "runbook"? allowed: runbook',
      }),
    );
    expect(await ask('GET', '/61')).toMatchObject({ status: 404 });
  });

  test.each([
    'abc',
    '0',
    '-1',
    '1.5',
    '99999999999999999999',
    '9007199254740992',
    '1e3',
    '%20',
    '%00',
    '__proto__',
    '１',
  ])('id %s is refused', async (id) => {
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect(await ask(method, `/${id}`, method === 'PUT' ? {} : undefined)).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        data: { errors: [{ path: 'id' }] },
      });
  });

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1&limit=2',
    'cursor=',
    'cursor=zzz',
    'cursor=1',
    `cursor=${'a'.repeat(5000)}`,
  ])('?%s is refused', async (query) => {
    expect(await ask('GET', `?${query}`)).toMatchObject({
      status: 400,
      data: { errors: [{ path: query.split('=')[0] }] },
    });
  });

  test.each([undefined, [], 'text', null, 5])('the body %j is refused', async (body) => {
    const answer = await ask('POST', '', body === undefined ? undefined : [body]);
    expect(answer).toMatchObject({ status: 400, data: { errors: [{ path: '' }] } });
  });
});
