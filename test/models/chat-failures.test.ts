import { describe, expect, it, test } from '@jest/globals';
import { readTask } from '../../src/domain/prompt/task-message.js';
import { ask, says } from '../support/chat.js';
import { EventStream, expectValid } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import {
  answer,
  begin,
  errorEvent,
  inTurn,
  refuse,
  reset,
  silence,
} from '../support/models/provider-server.js';
import { httpTarget, silent } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { kept, limit, open, turn } from '../support/streams/talk.js';

const scene = modelScene(answer({ text: 'All is well.' }));
const service = (env: Record<string, string> = {}) => scene.service({ ...scene.hosted(), ...env });

describe('a provider that fails', () => {
  it('after the first text is not called again, and the text is stored', async () => {
    scene.server.script(inTurn(begin({ text: 'So far, ' }, { text: 'all is' }), reset));
    const { text, log, kept } = await turn(await service());
    expect(scene.server.exchanges).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({
      key: 'lifecycle.failed',
      data: { code: 'AI_ERROR', retryable: true, report: null },
    });
    expect(text).toMatch(
      /"type":"error",[^\n]*"code":"ai_error","retryable":false\}\}\n\nid: \d+\ndata: \[DONE\]\n\n$/,
    );
    expect(kept).toEqual([['So far, all is', true]]);
  });

  it('before the first text is called again', async () => {
    scene.server.script(inTurn(begin(), reset));
    const { log, kept } = await turn(await service());
    expect(scene.server.exchanges).toHaveLength(2);
    const warning = log.find(({ key }) => key === 'system.warning')?.data;
    expect(warning).toMatchObject({
      code: 'AI_ERROR',
      retryable: true,
      attempt: 1,
      retry_in_ms: expect.any(Number),
    });
    expect(log.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
    expect(kept).toEqual([['All is well.', false]]);
  });

  // The errors in the formats of each chat, before the first text and after it.
  test.each([
    [
      'wants to be left alone',
      refuse(429, { headers: { 'retry-after': '600' } }),
      'rate_limited',
      'rate_limit',
      true,
    ],
    [
      'is overloaded',
      refuse(529, { headers: { 'retry-after': '600' } }),
      'overloaded',
      'rate_limit',
      true,
    ],
    ['refuses', refuse(401), 'ai_error', 'api_error', false],
    [
      'breaks off',
      inTurn(begin({ text: 'So far' }), errorEvent('server_error')),
      'ai_error',
      'api_error',
      true,
    ],
    [
      'is overloaded in the middle',
      inTurn(begin({ text: 'So far' }), errorEvent('overloaded_error')),
      'overloaded',
      'rate_limit',
      true,
    ],
  ])('with %s is reported in each chat format', async (_, reply, code, type, retryable) => {
    const api = await service();
    // The pause that the provider asks for also applies to the next call.
    scene.server.otherwise = reply;
    const agent = await ask(`${api.url}/api/v1/conversations/talk/stream`, {
      content: 'Is it well?',
    });
    expect(agent.events.at(-1)?.data).toEqual({
      type: 'error',
      // In this format, `ai_error` is never retryable.
      error: { message: expect.any(String), code, retryable: retryable && code !== 'ai_error' },
    });
    expect(agent.text).toMatch(/data: \[DONE\]\n\n$/);
    if (retryable && code !== 'ai_error' && !agent.text.includes('text_delta'))
      expect(agent.text).toMatch(/Please try again after \d{4}-[^"]* UTC\./);
    const chat = await ask(`${api.url}/chat/stream`, { message: 'Is it well?' });
    expect(chat.events.at(-1)).toEqual({
      event: 'error',
      data: { type, message: expect.any(String), retryable },
    });
    if (type === 'rate_limit' && says(chat.events) === '')
      expect(chat.events.at(-1)?.data['message']).toMatch(
        /^AI service is busy\. Please try again after \d{4}-.* UTC\.$/,
      );
    const said = says(chat.events);
    const names = chat.events.map(({ event }) => event);
    expect(names).toEqual(['message_start', ...(said === '' ? [] : ['content_delta']), 'error']);
    const oracle = await ask(`${api.url}/api/oracle/stream`, { question: 'Is it well?' });
    expect(oracle.events.at(-1)?.data).toEqual({
      type: 'error',
      error: expect.stringMatching(/some-model/),
    });
    expect(await kept(api)).toEqual(said === '' ? [] : [[said, true]]);
  });
});

test('a failure of a provider is a line in the log of the process, with its conversation', async () => {
  const env = { ...scene.hosted(), LOG_LEVEL: 'warn' };
  const process = await scene.scene.process(env);
  const { api } = process;
  scene.server.otherwise = refuse(401);
  const { runId } = await ask(`${api.url}/api/v1/conversations/talk/stream`, { content: 'Hi.' });
  await until('the line', () => process.output().includes('the model of an agent failed'));
  const lines = process
    .output()
    .split('\n')
    .filter((line) => line.includes(runId));
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { code: 'AI_ERROR', retryable: false, agentId: 'oracle', conversation: 'talk' },
  ]);
  expect(lines[0]).toMatch(/"caller":"[0-9a-f]{32}".*"error":"The provider of [^}]*401/);
});

test('another process continues the answer of an agent node that is killed, without repetition', async () => {
  const quick = { LOCK_MS: '1000', STALL_MS: '300', SWEEP_SECONDS: '1' };
  const api = await service({ ROLE: 'api', ...quick });
  scene.server.script(
    answer({ text: 'I look.' }, { call: 'list_topologies', args: '{}' }),
    inTurn(begin({ text: 'So far, all' }), silence),
    answer({ text: 'So far, all is well.' }),
  );
  const stream = await open(api);
  const first = await scene.scene.process({ ROLE: 'worker', ...scene.hosted(), ...quick });
  await stream.has('So far');
  await first.stop('SIGKILL');
  await service({ ROLE: 'worker', ...quick });
  const { text } = await stream.end();
  const said = [...text.matchAll(/"text":("[^"]*")/g)]
    .map(([, words]) => JSON.parse(words ?? '""') as string)
    .join('');
  expect(said).toBe('I look.\n\nSo far, all is well.');
  expect(text).toMatch(/event: message_end\nid: \d+\ndata: [^\n]*\n\n$/);
  const log = expectValid(await api.log(stream.runId));
  const count = (name: string) => log.filter(({ key }) => key === name).length;
  expect([count('llm.tool_call'), count('llm.tool_result'), count('lifecycle.completed')]).toEqual([
    1, 1, 1,
  ]);
  expect(log.map(({ data }) => data['code'])).toContain('AGENT_RESUMED');
  expect(scene.server.exchanges).toHaveLength(3);
  expect(await kept(api)).toEqual([[said, false]]);
});

test.each([
  ['POST /executions/cancel', 'api/service/v1/executions/cancel'],
  ['POST /api/oracle/cancel', 'api/oracle/cancel'],
])(
  '%s in the middle of an answer closes the socket of the provider, and what was said is kept',
  async (_, path) => {
    const api = await service();
    scene.server.script(inTurn(begin({ text: 'So far, all is' }), silence));
    const body = { question: 'Is it well?', context_id: 'talk' };
    const stream = await EventStream.open(`${api.url}/api/oracle/stream`, { method: 'POST', body });
    await stream.has('So far');
    const headers = { 'content-type': 'application/json' };
    const cancelled = await fetch(`${api.url}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ runId: stream.runId }),
    });
    expect(await cancelled.json()).toMatchObject(
      path.includes('oracle') ? { status: 'cancelled' } : { code: 'SUCCESS' },
    );
    expect((await stream.end()).text).toMatch(
      /data: \{"type":"error","error":"Cancelled by user"\}\n\n$/,
    );
    await scene.server.exchanges[0]?.closed;
    expect(await kept(api)).toEqual([['So far, all is', true]]);
  },
);

test('a client that disconnects does not stop the answer', async () => {
  const api = await service();
  let goOn = () => {};
  const told = new Promise<void>((resolve) => (goOn = resolve));
  scene.server.script(
    inTurn(
      begin({ text: 'So far, ' }),
      () => told,
      ({ response, frames }) =>
        void response.end(frames.say({ text: 'all is well.' }) + frames.say({ end: 'stop' })),
    ),
  );
  const stream = await open(api);
  await stream.has('So far');
  stream.cut();
  expect(await kept(api)).toEqual([['So far, ', true]]);
  goOn();
  await api.reaches(stream.runId, 'completed');
  expect(await kept(api)).toEqual([['So far, all is well.', false]]);
});

test('a function that times out is reported to the model as an error, and the turn continues', async () => {
  const api = await service();
  const settings = await (await limit(api, {})).json();
  expect(settings).toMatchObject({ tool_timeout_seconds: 30 });
  await limit(api, { tool_timeout_seconds: 1 });
  const target = await httpTarget(scene.targets, silent);
  const topology_id = await api.store(topologyOf({ shop: target }));
  scene.server.script(
    answer({ call: 'http_probe', args: '{"node":"shop"}', id: 'c1' }),
    answer({ text: 'The shop does not answer.' }),
  );
  const { events } = await ask(`${api.url}/chat/stream`, { message: 'Is shop well?', topology_id });
  const names = events.map(({ event }) => event).filter((event, i, all) => event !== all[i - 1]);
  expect(names).toEqual([
    'message_start',
    'function_call',
    // It takes longer than a second.
    'function_progress',
    'function_result',
    'content_delta',
    'message_end',
  ]);
  const [result] = events
    .filter(({ event }) => event === 'function_result')
    .map(({ data }) => data['result'] as string);
  expect(JSON.parse(result ?? '')).toEqual({
    error: true,
    code: 'execution_error',
    message: 'no result within 1 s',
  });
  expect(JSON.stringify(scene.server.exchanges[1]?.body['messages'])).toContain(
    'no result within 1 s',
  );
  await until('the probe is given up', () => target.connections === 0);
  expect(says(events)).toBe('The shop does not answer.');
});

test('the model receives the path from the root to the exchange that a question continues', async () => {
  const api = await service();
  const said = (number: number) => {
    const messages = scene.server.exchanges[number]?.body['messages'] as {
      role: string;
      content: string;
    }[];
    const talk = messages.filter(
      ({ role, content }) => role !== 'system' && !content.startsWith('[system notification]'),
    );
    return talk.map(({ role, content }) => `${role}: ${readTask(content)?.task ?? content}`);
  };
  const say = (question: string, more: object = {}) =>
    ask(`${api.url}/api/oracle/stream`, { question, ...more });
  scene.server.script(
    answer({ text: 'One.' }),
    answer({ text: 'Two.' }),
    inTurn(begin({ text: 'Thr' }), reset),
  );
  const first = (await say('1?', { context_id: 'talk' })).events.at(-1)?.data[
    'context_id'
  ] as string;
  await say('2?', { context_id: first });
  await say('3?', { context_id: 'talk' });
  await say('4?', { context_id: 'talk' });
  await say('2 again?', { context_id: first });
  expect(said(1)).toEqual(['user: 1?', 'assistant: One.', 'user: 2?']);
  expect(said(2)).toEqual([
    'user: 1?',
    'assistant: One.',
    'user: 2?',
    'assistant: Two.',
    'user: 3?',
  ]);
  expect(said(3)).toEqual([...said(2), 'assistant: Thr\n\n(This answer was cut off.)', 'user: 4?']);
  expect(said(4)).toEqual(['user: 1?', 'assistant: One.', 'user: 2 again?']);
  const { data } = await api.ask<{
    heads: string[];
    nodes: { question: string; parentId: string | null }[];
  }>('GET', '/conversations/talk/tree');
  expect([
    data.heads.length,
    data.nodes.filter(({ parentId }) => parentId === first).length,
  ]).toEqual([2, 2]);
});
