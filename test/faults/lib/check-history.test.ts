import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { checkHistory, type RunHistory } from './check-history.js';
import type { Observation } from './test-control.js';

/** The log of a real run, whose probe stands for a tool that may not be repeated. */
let log: string;
let scene: Scene;
beforeAll(async () => {
  scene = new Scene();
  const api = await scene.service();
  log = (
    await (
      await api.trigger(
        await api.store(topologyOf({ db: await httpTarget(scene.targets, healthy) })),
      )
    ).end()
  ).log;
});
afterAll(() => scene.close());

const began: Observation = { event: 'tool-began', mark: 't', who: 'touch', nth: 1, pid: 1, at: 0 };
const frames = (text = log) => text.split(/(?<=\n\n)/);
const check = (changed: Partial<RunHistory>, observations: Observation[] = [began]) =>
  checkHistory(
    [
      {
        runId: 'r',
        log,
        seen: changed.log ?? log,
        unsafe: [{ node: 'db', mark: 't' }],
        tools: ['t'],
        ...changed,
      },
    ],
    observations,
  );

test('a correct history has no problem', () => expect(check({})).toEqual([]));

const resultAt = () => frames().findIndex((frame) => frame.startsWith('event: llm.tool_result'));
test.each<[string, () => string[], RegExp]>([
  [
    'an event is missing',
    () => check({ log: frames().toSpliced(resultAt(), 1).join('') }),
    /expected sequence/,
  ],
  [
    'an event is there twice',
    () =>
      check({
        log: frames()
          .toSpliced(resultAt(), 0, frames()[resultAt()] ?? '')
          .join(''),
      }),
    /is not open|expected sequence/,
  ],
  ['it has not ended', () => check({ log: frames().slice(0, -1).join('') }), /no terminal event/],
  [
    'a client that missed the end',
    () => check({ seen: frames().slice(0, -2).join('') }),
    /was not shown the end/,
  ],
  [
    'a client with other events',
    () => check({ seen: log.replace('healthy', 'ailing.') }),
    /another history/,
  ],
  [
    'a completed run whose cancel was confirmed',
    () => check({ cancel: 200 }),
    /answered 200, and it ended in lifecycle.completed/,
  ],
  ['a cancelled run is not quiesced', () => check({ cancel: 200 }), /is not quiesced/],
  [
    'a tool that starts after the end',
    () => check({ cancel: 200, quiesced: true }, [{ ...began, at: 20_000 }]),
    /begun long after/,
  ],
  [
    'an unsafe tool with more runs than calls',
    () => check({}, Array<Observation>(50).fill(began)),
    /and ran 50 times/,
  ],
  [
    'an agent was given up',
    () => check({ log: log.replace('"reasons":[]', '"reasons":["AGENT_FAILED"]') }),
    /AGENT_FAILED/,
  ],
])('finds that %s', (_, problems, pattern) => expect(problems().join('\n')).toMatch(pattern));
