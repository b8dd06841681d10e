import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { as, ask, says } from '../../support/chat.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, held, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterAll(() => scene.close());

const chat = (body: object, headers: Record<string, string> = {}) =>
  ask(`${api.url}/chat/stream`, body, headers);

describe('POST /chat/stream', () => {
  test('answers a question in a separate run', async () => {
    const { status, runId, events } = await chat({ message: 'List the topologies, please' });
    expect(status).toBe(200);
    expect(
      events.map(({ event }) => event).filter((event, i, all) => event !== all[i - 1]),
    ).toEqual([
      'message_start',
      'function_call',
      'function_result',
      'content_delta',
      'message_end',
    ]);
    expect(says(events)).toContain(`- ${topologyId}:`);
    const log = expectValid(await api.log(runId));
    expect(log[0]?.data).toMatchObject({
      kind: 'chat',
      topology_id: null,
      user_message: 'List the topologies, please',
    });
    const found = log.find(({ key }) => key === 'llm.tool_result');
    expect(found?.data).toMatchObject({
      sources: [{ path: 'topologies', source_type: 'topology' }],
    });
    expect(log.at(-1)?.data).toMatchObject({ report: null, partial: false, summary: says(events) });
    expect(await api.show(runId)).toMatchObject({
      kind: 'chat',
      status: 'completed',
      topologyId: null,
    });
  });

  test('starts a diagnosis, follows it into its answer, and remembers it', async () => {
    const { events } = await chat({ message: `Diagnose topology ${topologyId}` });
    expect(says(events)).toMatch(
      /^Nothing was found to be wrong\.\n\nRun [0-9a-f-]{36} of topology \d+ .* completed at .* UTC\.$/,
    );
    // Its id is shown while it runs.
    const at = (name: string) => events.findIndex(({ event }) => event === name);
    const [, runId] = /Run ([0-9a-f-]{36})/.exec(says(events)) ?? [];
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'function_progress',
        data: expect.objectContaining({ run_id: runId }),
      }),
    );
    expect(at('function_progress')).toBeLessThan(at('function_result'));
    const { events: later } = await chat({
      message: `What was the last root cause of topology ${topologyId}?`,
    });
    expect(says(later)).toContain(/Run [0-9a-f-]{36}/.exec(says(events))?.[0]);
  });

  test('reports the progress of a diagnosis that it starts while the diagnosis runs', async () => {
    const waiting = held(healthy);
    const target = await httpTarget(scene.targets, waiting);
    const slow = await api.store(topologyOf({ slow: target }));
    const answer = chat({ message: `Diagnose topology ${slow}` });
    await until('a probe in flight', () => target.hits > 0);
    // The probe has no answer yet, so the diagnosis has not ended.
    const list = await api.ask<{ items: { runId: string }[] }>(
      'GET',
      '/executions?kind=chat&limit=1',
    );
    const turn = list.data.items[0]?.runId ?? '';
    const progress = async () => {
      const { data } = await api.ask<{ items: { data: Record<string, unknown> }[] }>(
        'GET',
        `/executions/${turn}/events?limit=1000`,
      );
      return data.items.find((event) => event.data['code'] === 'TOOL_RUNNING');
    };
    const reported = await until('progress', progress);
    waiting.release();
    const { events } = await answer;
    const [, runId] = /Run ([0-9a-f-]{36})/.exec(says(events)) ?? [];
    expect(reported.data).toMatchObject({
      run_id: runId,
      status: expect.stringMatching(/^(queued|running)$/) as unknown,
    });
  });

  test('answers a question about a problem and further questions', async () => {
    const shop = await httpTarget(scene.targets, healthy);
    const web = {
      ...(await httpTarget(scene.targets, (response) => void response.end('ok'))),
      dependsOn: ['payments'],
    };
    const sold = topologyOf({ payments: shop, web }, { name: 'Corner shop' });
    await api.store(sold);
    const session_id = 'engineer-1';
    const say = async (message: string) => {
      const { events, runId } = await chat({ message, session_id });
      return { text: says(events), runId };
    };
    expect((await say('what is wrong with the corner shop?')).text).toBe(
      `No diagnosis of topology ${sold.id} has completed yet. Ask me to "diagnose topology ${sold.id}".`,
    );
    expect((await say('start a diagnosis of the corner shop')).text).toMatch(
      /^Nothing was found to be wrong\./,
    );
    expect((await say('why?')).text).toMatch(
      /^Nothing was found to be wrong\.\n\n2 of 2 nodes checked\.\n\nMeasured then:\n- \d+: .*_probe: .*\n- \d+: .*_probe: /,
    );
    Object.assign(shop, { behaviour: erroring });
    expect((await say('diagnose it again')).text).toMatch(/^Root cause: The payments: answers 500/);
    const { text, runId } = await say('why?');
    const [, run = '', event = ''] =
      /From the log of run (\S+):\n- (\d+): llm\.tool_result The payments worker: http_probe: answers 500/.exec(
        text,
      ) ?? [];
    expect([text, run]).toEqual([text, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect((await say('and since when?')).text).toMatch(
      /^The payments was healthy at .* \(run .*\) and unhealthy at .*: it began in between\./,
    );
    expect((await say('is web affected?')).text).toMatch(
      /^No, at .* nothing was found to be wrong with The web\.\s+It depends on the root cause The payments: /,
    );
    expect((await say('how long did it take?')).text).toMatch(/^It took \d/);
    // What it rests on is cited: the run, and the sequence of the event.
    const cited = expectValid(await api.log(runId)).flatMap(
      ({ data }) => (data['sources'] ?? []) as { path: string; source_type: string }[],
    );
    expect(cited).toContainEqual(
      expect.objectContaining({ path: `runs/${run}/events/${event}`, source_type: 'event' }),
    );
    const { data } = await api.ask<{ title: string }>('GET', `/conversations/${session_id}`);
    expect(data.title).toBe('what is wrong with the corner shop?');
  });

  test('does not diagnose because of its own help or a wrong number', async () => {
    const say = async (message: string) =>
      says((await chat({ message, session_id: 'engineer-2' })).events);
    expect(await say('hello')).toContain('\n- diagnose topology N\n');
    expect(await say('diagnose topology 999')).toBe(
      'I could not find that out: There is no topology 999.',
    );
    expect(await say('diagnose the billing please')).toMatch(
      /^I know no node called "billing", and no topology\./,
    );
    expect(await say('is payments ok?')).not.toMatch(/\b999\b/);
  });

  test('cites nothing if it did not understand the question', async () => {
    const { events, runId } = await chat({ message: 'Why did the shop cross the road?' });
    expect(says(events)).toMatch(/^I do not understand that\./);
    const log = expectValid(await api.log(runId));
    expect(log.flatMap(({ data }) => data['sources'] ?? [])).toEqual([]);
  });

  test('measures a node of its topology', async () => {
    const { events } = await chat({ message: 'Is shop ok?', topology_id: topologyId });
    expect(says(events)).toMatch(/^Yes\. .*\n+Measured just now:\n.*- The shop: answered 200/s);
  });

  test('opens a page', async () => {
    const { events } = await chat({ message: 'open the runs page' });
    const result = events.find(({ event }) => event === 'function_result')?.data;
    expect(result).toMatchObject({
      name: 'navigate_to_page',
      result: '{"action":"navigate","page":"runs"}',
    });
  });

  test.each([
    ['no message', {}, 'message'],
    ['a blank one', { message: ' \n' }, 'message'],
    ['one that is too long', { message: 'x'.repeat(10_001) }, 'message'],
    ['a session id of another form', { message: 'hello', session_id: 'a b' }, 'session_id'],
  ])('refuses %s', async (_, body, path) => {
    const { status, text } = await chat(body);
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { code: 'VALIDATION_FAILED', data: { errors: [{ path }] } },
    ]);
  });

  test('reports an unknown topology in the stream', async () => {
    const { status, events } = await chat({ message: 'hello', topology_id: 987_654 });
    expect([status, events]).toMatchObject([
      200,
      [{ event: 'error', data: { type: 'not_found' } }],
    ]);
    expect(events).toHaveLength(1);
  });

  test('joins the turn of the same key and resumes it', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await chat({ message: 'List the topologies' }, headers);
    const again = await chat({ message: 'List the topologies' }, headers);
    expect([again.runId, again.text]).toEqual([first.runId, first.text]);
    const id = /^id: (\S+)$/m.exec(first.text)?.[1] ?? '';
    const rest = await chat(
      { message: 'List the topologies' },
      { ...headers, 'last-event-id': id },
    );
    expect(first.text.endsWith(rest.text.slice(rest.text.indexOf('event:')))).toBe(true);
    expect((await chat({ message: 'Other' }, headers)).status).toBe(422);
    expect((await chat({ message: 'hello' }, { 'last-event-id': id })).status).toBe(400);
  });
});

describe('POST /api/oracle/stream', () => {
  const oracle = (body: object, headers: Record<string, string> = {}) =>
    ask(`${api.url}/api/oracle/stream`, body, headers);
  const cancel = async (headers: Record<string, string> = {}) =>
    (await fetch(`${api.url}/api/oracle/cancel`, { method: 'POST', headers })).json();

  test('starts with the context, ends with done, and continues from its context_id', async () => {
    const { events } = await oracle({ question: 'List the topologies' });
    const types = events.map(({ data }) => data['type']);
    expect([types[0], types.at(-1)]).toEqual(['context_update', 'done']);
    expect(types).toEqual(
      expect.arrayContaining(['tool_call', 'tool_result', 'source', 'content']),
    );
    const { context_id } = events.at(-1)?.data as { context_id: string };
    const { events: next } = await oracle({ question: 'hello', context_id });
    expect(next.at(-1)?.data).toMatchObject({ type: 'done', model_used: 'runbook' });
    const before = (events[0]?.data as { context_tokens: number }).context_tokens;
    expect((next[0]?.data as { context_tokens: number }).context_tokens).toBeGreaterThan(before);
    expect((await oracle({ question: 'hello', context_id: 'unknown~0123456789ab' })).status).toBe(
      404,
    );
  });

  test('a new turn cancels the one before, and so does cancel', async () => {
    const dead = await httpTarget(scene.targets, silent);
    const project_id = await api.store({ ...topologyOf({ slow: dead }), id: 77 });
    const headers = as('slow');
    const first = oracle({ question: 'Is slow ok?', project_id }, headers);
    await until('a probe in flight', () => dead.hits > 0);
    const second = oracle({ question: 'Is slow ok?', project_id }, headers);
    expect((await first).events.at(-1)?.data).toEqual({
      type: 'error',
      error: 'Cancelled by user',
    });
    await until('another probe in flight', () => dead.hits > 1);
    expect(await cancel(as('other'))).toEqual({ status: 'no_active_session' });
    expect(await cancel(headers)).toEqual({ status: 'cancelled' });
    expect((await second).events.at(-1)?.data).toEqual({
      type: 'error',
      error: 'Cancelled by user',
    });
    expect(await cancel(headers)).toEqual({ status: 'no_active_session' });
  });
});

test('reports a disabled oracle', async () => {
  const other = await scene.service({ ORACLE: 'off' });
  const { status, events } = await ask(`${other.url}/chat/stream`, { message: 'hello' });
  expect([status, events]).toMatchObject([
    200,
    [{ event: 'error', data: { type: 'feature_disabled' } }],
  ]);
  expect((await ask(`${other.url}/api/oracle/stream`, { question: 'hello' })).status).toBe(403);
});
