import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { as, ask, says } from '../../support/chat.js';
import { closedPort } from '../../support/loopback.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => ({ scene, api, topologyId } = await Scene.ofShop()));
afterAll(() => scene.close());

/** Asks for the whole answer as JSON. */
async function oracle(body: object, headers: Record<string, string> = {}) {
  const { status, text } = await ask(`${api.url}/api/oracle`, body, headers);
  return { status, json: JSON.parse(text) as Record<string, unknown> };
}

test('POST /api/oracle has the system chunks of the stream', async () => {
  const body = { question: 'hello', model: 'unknown', project_id: 'default' };
  const { events } = await ask(`${api.url}/api/oracle/stream`, body);
  const chunks = events.map(({ data }) => data).filter(({ type }) => type === 'system');
  const { status, json } = await oracle(body);
  expect([status, json['system_messages']]).toEqual([
    200,
    [
      {
        system_type: 'unknown_model',
        system_message: 'There is no model "unknown"; "runbook" answers instead.',
      },
      {
        system_type: 'unknown_topology',
        system_message: expect.stringContaining('There is no topology "default"'),
      },
    ],
  ]);
  expect(chunks).toMatchObject(json['system_messages'] as object[]);
});

test('POST /api/oracle with the same key is one message', async () => {
  const headers = { ...as('keyed'), 'idempotency-key': 'k' };
  const first = await oracle({ question: 'hello' }, headers);
  expect(first.status).toBe(200);
  expect(await oracle({ question: 'hello' }, headers)).toEqual(first);
  const history = await fetch(`${api.url}/api/oracle/history`, { headers: as('keyed') });
  expect(((await history.json()) as { messages: unknown[] }).messages).toHaveLength(2);
  expect(await oracle({ question: 'What can you do?' }, headers)).toMatchObject({
    status: 422,
    json: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

test('POST /api/oracle with a cursor and without a key is refused as a blind retry', async () => {
  const { status, json } = await oracle({ question: 'hello' }, { 'last-event-id': '3' });
  expect([status, json['code']]).toEqual([400, 'VALIDATION_FAILED']);
});

test('answers about a topic, the past, the cost and a part of a diagnosed topology', async () => {
  const { runId } = await (await api.trigger(topologyId, {})).end();
  const answers = await Promise.all(
    [
      'how slow is the shop?',
      'how much memory does the shop use?',
      'is it DNS?',
      'how often did the shop fail?',
      'how many tokens did the last run use?',
      'which team looks after the shop?',
    ].map(async (question) => (await oracle({ question }, as(question.length.toString()))).json),
  );
  expect(answers.map(({ answer }) => answer)).toEqual([
    expect.stringMatching(
      /^Nothing was found to be wrong about response times where it was measured:\n(?:- .*\n)*- \d+: .*http_probe: answered 200 OK in \d+/,
    ),
    expect.stringMatching(/^Nothing about memory was measured/),
    expect.stringMatching(/^I cannot tell\. Nothing about DNS was measured at /),
    expect.stringMatching(
      /^Nothing was found to be wrong with .* in the last diagnosis of topology/,
    ),
    expect.stringMatching(new RegExp(`^It used no tokens.*\\n\\nRun ${runId} of topology`)),
    expect.stringMatching(/^This team looks after .*:\n- .*: a worker for each of /),
  ]);
});

test('answers about runs by their ids, and compares them', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await (await api.trigger(topologyId, {})).end()).runId);
  const [first = '', second = ''] = ids;
  const answer = async (question: string) => (await oracle({ question }, as('ids'))).json['answer'];
  const lineOf = (runId: string) => `Run ${runId} of topology ${topologyId} `;
  expect(await answer(`what did run ${first} find?`)).toMatch(
    new RegExp(`^(?!I know no)(?!I do not)[^]*\\n${lineOf(first)}`),
  );
  expect(await answer(`compare ${second} and ${first}`)).toMatch(
    new RegExp(`Both found the same[^]*\\n${lineOf(first)}[^]*\\n${lineOf(second)}`),
  );
  expect(await answer(`what did run ${first.replace(/^.{4}/, '0000')} find?`)).toMatch(
    /There is no diagnosis 0000/,
  );
});

test('POST /chat/stream keeps a conversation on its node and its topology', async () => {
  const broken = await httpTarget(scene.targets, erroring);
  const fine = await httpTarget(scene.targets, healthy);
  const port = await closedPort();
  const redis = { kind: 'redis', endpoint: `redis://127.0.0.1:${port}` };
  const named = (topology: ReturnType<typeof topologyOf>, name: string, names: string[]) => ({
    ...topology,
    name,
    nodes: topology.nodes.map((node, i) => ({ ...node, name: names[i] ?? node.name })),
  });
  const store = topologyOf({ api: broken, sessions: redis, baskets: redis, web: fine });
  const id = await api.store(named(store, 'Store', ['Müller-API', 'Sessions', 'Baskets', 'Web']));
  await api.store(named(topologyOf({ r: redis }), 'A service and its Redis', ['Redis']));
  await (await api.trigger(id, {})).end();
  const say = async (message: string) => {
    const body = { message, session_id: 'kept' };
    return says((await ask(`${api.url}/chat/stream`, body, as('kept'))).events);
  };
  expect(await say(`is Müller-API of topology ${id} ok?`)).toMatch(
    /^No, not at [^\n]*\n+Müller-API is the root cause/,
  );
  const why = await say('why?');
  expect(why).toMatch(/^Müller-API is the root cause/);
  expect(why).not.toContain('Sessions');
  const steps = await say('and what should I do there?');
  expect(steps).toMatch(/^Müller-API is the root cause.*\n1\. /s);
  expect(steps).not.toContain('Sessions');
  expect(await say('is it fixed?')).toMatch(/^No, not at .*Müller-API is the root cause/s);
  expect(await say('what depends on it?')).toMatch(/^Nothing depends on Müller-API\./);
  expect(await say('ok and the redis?')).toMatch(
    new RegExp(`^Sessions is the root cause.*\\n.*Baskets.* of topology ${id} `, 's'),
  );
  expect(await say('lorem ipsum')).toMatch(/\n- compare the last two runs of topology \d+\n/);
});

test('an unbound answer has sentences about a node that is named like a secret', async () => {
  const endpoint = `http://127.0.0.1:${await closedPort()}/`;
  const id = await api.store(topologyOf({ secret: { endpoint, name: 'Client secret' } }));
  await (await api.trigger(id, {})).end();
  const { json } = await oracle({ question: 'why is Client secret down?' }, as('secretive'));
  expect(json['answer']).toMatch(/^Client secret is the root cause: connection refused/);
  const { json: found } = await oracle(
    { question: `what is the verdict of topology ${id}?` },
    as('secretive'),
  );
  expect(found['answer']).toContain('Client secret: connection refused (ECONNREFUSED)');
  expect(JSON.stringify([json, found])).not.toContain('***');
});
