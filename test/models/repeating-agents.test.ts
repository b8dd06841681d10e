import { describe, expect, it } from '@jest/globals';
import { modelScene } from '../support/models/model-scene.js';
import {
  call,
  coded,
  codes,
  fine,
  report,
  told,
  toolOf,
  workerReport,
  workerScenario,
} from '../support/models/worker-scenario.js';

const scene = modelScene();

describe.each(['openai', 'anthropic'] as const)('with a model of %s', (provider) => {
  const { diagnosis, requestsOf } = workerScenario(scene, provider);

  it('warns about near-repeats, notifies the model, and continues', async () => {
    const script = [...['a', 'b', 'c', 'd'].map((how) => [call('look', how)]), report];
    const events = await diagnosis(
      script,
      {},
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    expect(coded(events, 'LOOP_DETECTED')).toEqual([
      expect.objectContaining({
        pattern: 'look({"node":"shop"})',
        message: expect.stringMatching(/^Loop detected/),
      }),
    ]);
    const loop = events.findIndex(({ data }) => data['code'] === 'LOOP_DETECTED');
    expect(events[loop]?.data).toBeDefined();
    expect(
      events.findIndex(({ data }) => data['tool_call_id'] === 'd1_1_t3' && 'status' in data),
    ).toBeGreaterThan(loop);
    expect(
      requestsOf('worker').map((exchange) => told(exchange).includes('Loop detected')),
    ).toEqual([false, false, false, true, true]);
    expect(workerReport(events)).toMatchObject({ status: 'ok', reasons: [] });
  });

  it('ends the work after the same action three times in a row', async () => {
    const events = await diagnosis(
      [[call('look', 'a')]],
      {},
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    expect(codes(events)).toEqual(['LOOP_DETECTED', 'NO_PROGRESS']);
    expect(coded(events, 'NO_PROGRESS')[0]).toMatchObject({
      message:
        'No progress detected - the same action was attempted 3 times. Terminating to prevent infinite loop.',
      repeated_action: 'look({"how":"a","node":"shop"})',
    });
    expect(requestsOf('worker')).toHaveLength(3);
    expect(workerReport(events)).toMatchObject({
      status: 'partial',
      reasons: expect.arrayContaining(['NO_PROGRESS']),
      summary: expect.stringMatching(
        / ended without a conclusion \(NO_PROGRESS\)\. Nothing wrong was measured by look\.$/,
      ),
    });
    expect(events.at(-1)?.data).toMatchObject({
      partial: true,
      reasons: expect.arrayContaining(['NO_PROGRESS']),
    });
  });

  it('ends the work after three turns in which every call fails', async () => {
    const broken = toolOf('look', async ({ how = '' }) =>
      Promise.reject(new Error(`connection timeout ${how}`)),
    );
    const events = await diagnosis(
      [[call('look', 'a')], [{ call: 'dig', args: '{}' }], [call('look', 'c')]],
      {},
      broken,
    );
    expect(coded(events, 'ERROR_LIMIT')).toEqual([
      {
        code: 'ERROR_LIMIT',
        error_count: 3,
        last_error: 'connection timeout c',
        message: 'Multiple consecutive errors (3/3). Terminating with partial results.',
      },
    ]);
    expect(events.find(({ data }) => data['code'] === 'ERROR_LIMIT')?.key).toBe('system.error');
    // Three of the worker that is sent once more, since nothing was measured.
    expect(requestsOf('worker')).toHaveLength(3 + 3);
    expect(workerReport(events)).toMatchObject({
      status: 'partial',
      reasons: expect.arrayContaining(['ERROR_LIMIT']),
    });
  });

  it('counts several calls of a turn that fail as one error, and none where one succeeds', async () => {
    const look = toolOf('look', async ({ how = '' }) =>
      how === 'well' ? fine(how) : Promise.reject(new Error(`connection timeout ${how}`)),
    );
    const turns = ['abc', 'def', 'ghi'].map((how) => [...how].map((each) => call('look', each)));
    const [first = [], second = [], third = []] = turns;
    const mixed = [call('look', 'j'), call('look', 'well'), call('look', 'k')];
    const some = await diagnosis([first, second, mixed, report], {}, look);
    expect(coded(some, 'ERROR_LIMIT')).toEqual([]);
    expect(requestsOf('worker')).toHaveLength(4);

    const all = await diagnosis([first, second, third], {}, look);
    expect(coded(all, 'ERROR_LIMIT')[0]).toMatchObject({
      error_count: 3,
      last_error: 'connection timeout i',
    });
  });
});
