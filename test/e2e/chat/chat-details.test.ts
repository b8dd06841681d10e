import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { as, ask, says } from '../../support/chat.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterAll(() => scene.close());

const oracle = (body: object) => ask(`${api.url}/api/oracle/stream`, body);

test('`sources` restrict the lookups for a question', async () => {
  const called = async (runId: string) =>
    expectValid(await api.log(runId)).flatMap(({ key, data }) =>
      key === 'llm.tool_call' ? [data['tool']] : [],
    );
  const { events, runId } = await oracle({
    question: 'list the runs',
    sources: ['topologies', 'tools'],
  });
  const said = events
    .filter(({ data }) => data['type'] === 'content')
    .map(({ data }) => data['content']);
  expect(said.join('')).toMatch(/: runs is not among the sources/);
  expect(await called(runId)).toEqual(['list_topologies']);
  const allowed = await oracle({ question: 'list the runs', sources: ['topologies', 'runs'] });
  expect(await called(allowed.runId)).toEqual(['list_topologies', 'list_runs']);
  // Not the tools of its topology either.
  const { text } = await oracle({
    question: 'Is shop ok?',
    project_id: topologyId,
    sources: ['runs', 'topologies'],
  });
  expect(text).not.toContain('http_probe');
});

test.each([
  ['a context_id of another form', { context_id: 'a b' }, 'context_id'],
  ['too small a budget', { max_tokens: 1 }, 'max_tokens'],
  ['thinking that is a text', { thinking: 'hard' }, 'thinking'],
])('refuses %s', async (_, more, path) => {
  const { status, text } = await oracle({ question: 'hello', ...more });
  const { code, data } = JSON.parse(text) as { code: string; data: { errors: { path: string }[] } };
  expect([status, code, data.errors[0]?.path.split('.')[0]]).toEqual([
    400,
    'VALIDATION_FAILED',
    path,
  ]);
});

test('a message has its author, time and run', async () => {
  const { runId } = await ask(`${api.url}/api/v1/conversations/shape-1/stream`, {
    content: 'hello',
  });
  const { data } = (await (await fetch(`${api.url}/api/v1/conversations/shape-1`)).json()) as {
    data: { messages: object[] };
  };
  const common = {
    id: expect.any(String),
    created_at: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/),
    run_id: runId,
    partial: false,
  };
  expect(data.messages).toEqual([
    { ...common, role: 'user', content: 'hello' },
    { ...common, role: 'assistant', content: expect.stringContaining('Ask for example') },
  ]);
});

test("a caller's conversations are listed in pages, newest first", async () => {
  const headers = as('pages');
  for (const session_id of ['page-1', 'page-2', 'page-3'])
    await ask(`${api.url}/chat/stream`, { message: 'hello', session_id }, headers);
  const page = async (query: string) =>
    (
      await api.ask<{ items: { id: string }[]; nextCursor: string | null }>(
        'GET',
        `/conversations?limit=2${query}`,
        { headers },
      )
    ).data;
  const first = await page('');
  const rest = await page(`&cursor=${first.nextCursor}`);
  expect([first, rest].map(({ items }) => items.map(({ id }) => id))).toEqual([
    ['page-3', 'page-2'],
    ['page-1'],
  ]);
  expect(rest.nextCursor).toBeNull();
});

test('a refused message cancels nothing, and the running turn can be read again', async () => {
  const waiting = held(healthy);
  const target = await httpTarget(scene.targets, waiting);
  const topology_id = await api.store(topologyOf({ slow: target }));
  const first = ask(`${api.url}/chat/stream`, {
    message: 'Is slow ok?',
    session_id: 'busy',
    topology_id,
  });
  await until('a probe in flight', () => target.hits > 0);
  const refused = await ask(`${api.url}/chat/stream`, {
    message: 'Is slow ok?',
    session_id: 'busy',
    topology_id: 987_654,
  });
  expect(refused.events).toMatchObject([{ event: 'error', data: { type: 'not_found' } }]);
  const again = fetch(`${api.url}/api/chat/busy/stream`);
  waiting.release();
  const resumed = await again;
  const text = await resumed.text();
  expect([resumed.status, resumed.headers.get('x-vercel-ai-ui-message-stream')]).toEqual([
    200,
    'v1',
  ]);
  expect(text).toMatch(/"type":"start".*Measured just now.*data: \[DONE\]\n\n$/s);
  const { events } = await first;
  expect([says(events), events.at(-1)?.event]).toEqual([
    expect.stringContaining('Measured just now'),
    'message_end',
  ]);
});

/** The ids that frames give to calls and sources. */
const ID =
  /"tool_call":\{"id":"([^"]+)"|"(?:toolCallId|tool_id|sourceId)":"([^"]+)"|^data: \{"id":"([^"]+)","name"/gm;

test.each(['oracle', 'agent', 'chat', 'ag-ui', 'ai-sdk'])(
  'calls and sources of two turns of a conversation have different ids, as %s',
  async (format) => {
    const idsOfTurn = async () => {
      const body = { message: 'list the topologies', session_id: `twice-${format}` };
      const { text } = await ask(`${api.url}/chat/stream?format=${format}`, body);
      return [...text.matchAll(ID)].map(([, ...ids]) => ids.find((id) => id !== undefined));
    };
    const first = await idsOfTurn();
    const second = await idsOfTurn();
    expect(first.length).toBeGreaterThan(0);
    expect(second).toHaveLength(first.length);
    expect(first.filter((id) => second.includes(id))).toEqual([]);
  },
);
