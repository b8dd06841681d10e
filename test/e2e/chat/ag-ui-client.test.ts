import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import type { Api } from '../../support/api.js';
import { ModelScene } from '../../support/models/model-scene.js';
import { processManager, type ProcessManager } from '../../support/programs/process-manager.js';
import { answer, refuse } from '../../support/models/provider-server.js';
import { followedKey, pausedKey } from '../../../src/redis/keys.js';
import { Scene } from '../../support/scene.js';
import { erroring, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

const model = new ModelScene();
let api: Api;
beforeAll(async () => {
  await model.open();
  api = await model.service(model.hosted());
});
afterAll(() => model.close());

const agentOf = (threadId: string) => new HttpAgent({ url: api.at('/ag-ui'), threadId });
const ask = (agent: HttpAgent, content: string) =>
  agent.addMessage({ id: `u${agent.messages.length}`, role: 'user', content });

test("the protocol's own client holds a conversation: its messages, its calls, and its runs by its own names", async () => {
  model.server.script(
    answer({ text: 'Let me look.' }, { call: 'list_topologies', args: '{}' }),
    answer({ text: 'There is none.' }),
    answer({ text: 'As I said.' }),
  );
  const agent = agentOf('thread-1');
  ask(agent, 'Which topologies are there?');
  const seen: BaseEvent[] = [];
  await agent.runAgent({ runId: 'run-1' }, { onEvent: ({ event }) => void seen.push(event) });
  expect(agent.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'Let me look.' },
    { role: 'assistant', toolCalls: [{ function: { name: 'list_topologies', arguments: '{}' } }] },
    { role: 'tool', content: expect.stringContaining('"topologies":[]') },
    { role: 'assistant', content: 'There is none.' },
  ]);
  const place = { threadId: 'thread-1', runId: 'run-1' };
  expect([seen[0], seen.at(-1)]).toMatchObject([
    { type: 'RUN_STARTED', protocolVersion: '1.0', ...place },
    { type: 'RUN_FINISHED', ...place },
  ]);

  // Again under the same name: ids of messages are not mixed up.
  ask(agent, 'Are you sure?');
  await agent.runAgent({ runId: 'run-1' });
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'As I said.' });
  expect(new Set(agent.messages.map(({ id }) => id)).size).toBe(agent.messages.length);
  expect(JSON.stringify(model.server.exchanges.at(-1)?.body)).toContain('There is none.');
});

test('a run that fails is shown as failed', async () => {
  model.server.script(refuse(400));
  const agent = agentOf('thread-2');
  ask(agent, 'Is it well?');
  const failed: string[] = [];
  await agent
    .runAgent(
      { runId: 'run-2' },
      { onRunErrorEvent: ({ event }) => void failed.push(String(event.code)) },
    )
    .catch(() => undefined);
  expect(failed).toEqual(['AI_ERROR']);
});

describe('a run that asks for an approval', () => {
  let scene: Scene;
  let own: Api;
  let manager: ProcessManager;
  let topologyId: number;
  beforeAll(async () => {
    scene = new Scene();
    own = await scene.service();
    manager = await processManager(scene.targets);
    const { endpoint } = await httpTarget(scene.targets, erroring);
    topologyId = await own.store(
      topologyOf({ shop: { endpoint, attributes: { restartUrl: manager.url } } }),
    );
  });
  afterAll(() => scene.close());

  /** Starts such a run, and follows it with the protocol's own client until it is interrupted. */
  async function interrupted(more: object = {}) {
    const body = { topologyId, userMessage: 'The shop fails.', repair: true, ...more };
    const { data } = await own.ask<{ runId: string }>('POST', '/executions/trigger', { body });
    const { runId } = data;
    const url = own.at(`/executions/${runId}/ag-ui`);
    const agent = new HttpAgent({ url, threadId: runId });
    await agent.runAgent();
    const [interrupt] = agent.pendingInterrupts;
    if (!interrupt) throw new Error('it was not interrupted');
    expect(agent.pendingInterrupts).toMatchObject([
      {
        reason: 'tool_call',
        message: expect.stringContaining('Restart the process of The shop: POST http'),
      },
    ]);
    return { agent, interruptId: interrupt.id, runId };
  }

  test("is interrupted for the protocol's own client, which approves and gets the rest", async () => {
    const { agent, interruptId } = await interrupted();
    const before = manager.restarts;
    const asked = agent.messages.at(-1);
    const seen: BaseEvent[] = [];
    await agent.runAgent(
      { resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] },
      { onEvent: ({ event }) => void seen.push(event) },
    );
    expect(manager.restarts).toBe(before + 1);
    expect(agent.pendingInterrupts).toEqual([]);
    expect(asked).toMatchObject({ toolCalls: [{ function: { name: 'restart_process' } }] });
    // The result is that of the call which the interrupted run had shown.
    expect(seen.map(({ type }) => type).slice(0, 3)).toEqual([
      'RUN_STARTED',
      'CUSTOM',
      'TOOL_CALL_RESULT',
    ]);
    expect(seen.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success' },
      result: { report: { repairs: [{ outcome: 'done', decided_by: null }] } },
    });
  });

  test('is not cancelled without followers while the person thinks about an approval', async () => {
    const { agent, interruptId, runId } = await interrupted({ onDisconnect: 'cancel' });
    const { redis, prefix } = scene.redis;
    // Until the approval expires and 10 s more, which are longer than the lease of a follower.
    const left = () => redis.pttl(pausedKey(prefix, runId));
    expect(await left()).toBeGreaterThan(15_000);
    // As if 10 s had passed: the sweeper would cancel the run at once.
    await redis.unlink(followedKey(prefix, runId));
    const refusal = { interruptId, status: 'resolved', payload: { approved: false } } as const;
    await agent.runAgent({ resume: [refusal] });
    expect((await own.show(runId)).status).toBe('completed');
    expect(await left()).toBe(-2);
  });

  test('goes on without the change if the person refuses it or gives no answer', async () => {
    const before = manager.restarts;
    for (const answer of [
      { status: 'resolved', payload: { approved: false, reason: 'at night only' } },
      { status: 'cancelled' },
    ] as const) {
      const { agent, interruptId } = await interrupted();
      let outcome: unknown;
      await agent.runAgent(
        { resume: [{ interruptId, ...answer }] },
        { onRunFinishedEvent: ({ event }) => void (outcome = event.result) },
      );
      expect(outcome).toMatchObject({ report: { repairs: [{ outcome: 'refused' }] } });
    }
    expect(manager.restarts).toBe(before);
  });

  test('goes on past an approval that was decided elsewhere, and refuses another decision', async () => {
    const { agent, interruptId, runId } = await interrupted();
    const [, approvalId = '', args_digest = ''] = interruptId.split(':');
    const body = { decision: 'deny', args_digest };
    await own.ask('POST', `/executions/${runId}/approvals/${approvalId}`, { body });
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
    const at = `/executions/${runId}/ag-ui`;
    expect(await own.ask('POST', at, { body: { resume } })).toMatchObject({
      status: 409,
      code: 'APPROVAL_CLOSED',
    });
    const edited = [{ ...resume[0], payload: { approved: true, editedArgs: { node: 'other' } } }];
    expect(await own.ask('POST', at, { body: { resume: edited } })).toMatchObject({
      status: 400,
      message: expect.stringContaining('which cannot be edited'),
    });
    const wrong = [{ ...resume[0], interruptId: `${runId}:t9:${args_digest}` }];
    expect((await own.ask('POST', at, { body: { resume: wrong } })).status).toBe(404);
    const foreign = [{ ...resume[0], interruptId: 'x' }];
    expect(await own.ask('POST', at, { body: { resume: foreign } })).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
    });
    // The client must answer what it has seen open; "cancelled" goes on with the decision of the
    // other.
    await agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] });
    expect(agent.pendingInterrupts).toEqual([]);
    const late = new HttpAgent({ url: own.at(at), threadId: runId });
    await late.runAgent();
    expect(late.pendingInterrupts).toEqual([]);
    expect(late.messages.at(-1)).toMatchObject({ role: 'assistant' });
  });
});
