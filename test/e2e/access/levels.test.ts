import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventData } from '../../../src/domain/events/event.js';
import { expectValid, type CheckedEvent } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent, type Behaviour } from '../../support/processes/target.js';
import { teamOfEach, topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
const target = (behaviour: Behaviour) => httpTarget(scene.targets, behaviour);
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({
    GLOBAL_SUPERVISOR_CONCURRENCY: '1',
    TEAM_SUPERVISOR_CONCURRENCY: '1',
    WORKER_CONCURRENCY: '1',
    // It has no secret.
    SECRETS_DIR: import.meta.dirname,
  });
});
afterAll(() => scene.close());

const of = (events: CheckedEvent[], key: string) => events.filter((event) => event.key === key);
const completed = (events: CheckedEvent[]) =>
  events.at(-1)?.data as unknown as EventData['lifecycle.completed'];
const reports = (events: CheckedEvent[]) =>
  of(events, 'dispatch.report').map(({ source, data }) => [
    source?.agent_name,
    data['status'],
    data['reasons'],
  ]);

test('three levels complete with every concurrency at 1, two runs side by side', async () => {
  const nodes = {
    one: await target(healthy),
    two: await target(healthy),
    three: await target(healthy),
  };
  const id = await api.store(teamOfEach(nodes));
  const runs = await Promise.all([api.trigger(id), api.trigger(id)]);
  for (const run of runs) {
    const events = expectValid((await run.end()).text);
    expect(of(events, 'dispatch.team').map(({ data }) => data['team_name'])).toEqual([
      'one team',
      'two team',
      'three team',
    ]);
    expect(of(events, 'dispatch.worker')).toHaveLength(3);
    expect(reports(events).toSorted()).toEqual(
      [
        'The one worker',
        'The three worker',
        'The two worker',
        'one team supervisor',
        'three team supervisor',
        'two team supervisor',
      ].map((name) => [name, 'ok', []]),
    );
    expect(completed(events)).toMatchObject({
      partial: false,
      reasons: [],
      report: { verdict: 'healthy', unchecked: [] },
    });
  }
});

test('a team of several workers, more than may run at once, completes', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const one = await target(healthy);
  const nodes = Object.fromEntries(
    names.map((name) => [name, { endpoint: one.endpoint, dependsOn: name === 'a' ? [] : ['a'] }]),
  );
  const events = expectValid(
    (await (await api.trigger(await api.store(topologyOf(nodes)))).end()).text,
  );
  expect(of(events, 'dispatch.worker')).toHaveLength(8);
  expect(completed(events).report).toMatchObject({ verdict: 'healthy' });
});

test('dispatches a worker without measurements once more and completes without it', async () => {
  // A missing credential keeps each tool from its work: not a finding about the target, but a
  // failure of the look at it.
  const nodes = {
    blind: { ...(await target(healthy)), attributes: { note: '${secret:MISSING}' } },
    seen: await target(healthy),
  };
  const events = expectValid(
    (await (await api.trigger(await api.store(topologyOf(nodes)))).end()).text,
  );

  const results = of(events, 'llm.tool_result').filter(
    ({ source }) => source?.agent_name === 'The blind worker',
  );
  expect(results.length).toBeGreaterThan(0);
  expect(results.every(({ data }) => data['status'] === 'error')).toBe(true);
  const rounds = of(events, 'dispatch.worker').filter(
    ({ data }) => data['worker_name'] === 'The blind worker',
  );
  expect(rounds).toHaveLength(2);
  expect(
    reports(events).filter(([name, status]) => name === 'The blind worker' && status === 'failed'),
  ).toHaveLength(2);
  expect(reports(events)).toContainEqual(['The seen worker', 'ok', []]);
  const { partial, reasons, report } = completed(events);
  expect({
    partial,
    verdict: report?.verdict,
    unchecked: report?.unchecked.map(({ node }) => node),
  }).toEqual({
    partial: true,
    verdict: 'inconclusive',
    unchecked: ['blind'],
  });
  expect(reasons).not.toEqual([]);
});

test('a second round checks what the first left open', async () => {
  // Silent to the first request for longer than a tool may take; then well.
  const moody = await target((response, hit, request) =>
    (hit === 1 ? silent : healthy)(response, hit, request),
  );
  const more = {
    globalSupervisor: { agentId: '1', name: 'Boss' },
    teams: [
      {
        name: 'Team',
        nodes: ['moody'],
        supervisor: { agentId: '2', name: 'Chief' },
        workers: [{ agentId: '3', name: 'Prober', node: 'moody', tools: ['http_probe'] }],
      },
    ],
    limits: { toolTimeoutSeconds: 1 },
  };
  const run = await api.trigger(await api.store(topologyOf({ moody }, more)));
  const events = expectValid((await run.end()).text);
  expect(reports(events).map(([name, status]) => [name, status])).toEqual([
    ['Prober', 'failed'],
    ['Prober', 'ok'],
    ['Chief', 'ok'],
  ]);
  expect(of(events, 'dispatch.worker').map(({ data }) => data['agent_id'])).toEqual(['3', '3']);
  expect(completed(events)).toMatchObject({ partial: false, report: { verdict: 'healthy' } });
});

test('dispatches the teams in the message first and the others if no cause was found', async () => {
  const nodes = {
    checkout: await target(healthy),
    search: await target(healthy),
    mail: await target(healthy),
  };
  const id = await api.store(teamOfEach(nodes));
  const events = expectValid(
    (await (await api.trigger(id, { userMessage: 'search seems slow' })).end()).text,
  );
  const dispatches = of(events, 'dispatch.team').map(({ data }) => [
    data['team_name'],
    data['turn'] ?? null,
  ]);
  expect(dispatches.map(([name]) => name)).toEqual(['search team', 'checkout team', 'mail team']);
  const first = events.findIndex(
    ({ key, source }) => key === 'dispatch.report' && source?.agent_type === 'team_supervisor',
  );
  const later = events.findIndex(
    ({ key, data }) => key === 'dispatch.team' && data['team_name'] === 'checkout team',
  );
  expect(later).toBeGreaterThan(first);
  expect(completed(events)).toMatchObject({ partial: false, report: { verdict: 'healthy' } });
});

test('a service that answers no request in the time that its tool has is not called healthy', async () => {
  const mute = await httpTarget(scene.targets, silent);
  const run = await api.trigger(
    await api.store(topologyOf({ mute }, { limits: { toolTimeoutSeconds: 1 } })),
  );
  const events = expectValid((await run.end()).text);
  expect(completed(events)).toMatchObject({
    partial: true,
    report: { verdict: 'inconclusive', unchecked: [{ node: 'mute' }] },
  });
});
