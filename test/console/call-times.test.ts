import { describe, expect, it } from '@jest/globals';
import { pushEvent } from '../../console/src/model/fold/fold-event.js';
import { RunModel } from '../../console/src/model/run-model.js';
import type { NamedEvent } from '../../src/client/index.js';

const BEGIN = Date.parse('2026-11-22T12:00:00.000Z');
const TOP = { agent_id: '1', agent_type: 'global_supervisor', agent_name: 'Head', team_name: null };

/** A run of events, each so many ms after its start. */
function modelOf(...events: [ms: number, name: string, data: object][]): RunModel {
  const model = new RunModel();
  for (const [i, [ms, name, data]] of events.entries()) {
    const [category, action] = name.split('.');
    pushEvent(model, {
      run_id: 'r',
      sequence: i + 1,
      name,
      data,
      event: { category, action },
      timestamp: new Date(BEGIN + ms).toISOString(),
      source: name === 'lifecycle.started' ? null : TOP,
    } as unknown as NamedEvent);
  }
  return model;
}

const started = { kind: 'diagnosis', topology_id: 1, topology_name: 'T', user_message: '?' };
const place = { dispatch_id: null, turn: 1, attempt: 1 };
const usage = {
  ...place,
  model: 'm',
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
  context_tokens: 2,
  max_context_tokens: 100,
  finish_reason: 'stop',
};
const barsOf = (model: RunModel) =>
  (model.rows.get('')?.bars ?? []).map(({ kind, startTime, endTime, firstTextTime }) => [
    kind,
    startTime - BEGIN,
    (endTime ?? NaN) - BEGIN,
    ...(firstTextTime === undefined ? [] : [firstTextTime - BEGIN]),
  ]);

describe('the times of model calls', () => {
  it('are those of the log', () => {
    const timing = { duration_ms: 400, waited_ms: 300, first_token_ms: 150, queued_ms: 200 };
    const model = modelOf(
      [0, 'lifecycle.started', started],
      [100, 'llm.stream', { ...place, content: 'Hm' }],
      [1_000, 'llm.usage', { ...usage, ...timing }],
    );
    expect(barsOf(model)).toEqual([
      ['model', 600, 1_000, 750],
      ['queued', 100, 300],
      ['wait', 300, 600],
    ]);
  });

  it('show a wait that was announced once', () => {
    const model = modelOf(
      [0, 'lifecycle.started', started],
      [10, 'llm.stream', { ...place, content: 'Hm' }],
      [
        100,
        'system.warning',
        { code: 'RATE_LIMITED', message: 'wait', retry_in_ms: 500, dispatch_id: null, turn: 1 },
      ],
      [1_000, 'llm.usage', { ...usage, attempt: 2, duration_ms: 390, waited_ms: 510 }],
    );
    expect(barsOf(model).map(([kind, from, until]) => [kind, from, until])).toEqual([
      ['model', 10, 100],
      ['wait', 100, 600],
      ['model', 610, 1_000],
    ]);
  });

  it('are inferred in an older log', () => {
    const model = modelOf(
      [0, 'lifecycle.started', started],
      [100, 'llm.stream', { ...place, content: 'Hm' }],
      [1_000, 'llm.usage', usage],
    );
    expect(barsOf(model)).toEqual([['model', 100, 1_000, 100]]);
  });
});
