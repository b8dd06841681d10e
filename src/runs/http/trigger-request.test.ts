import { describe, expect, it } from '@jest/globals';
import type { ConsiliumError, Fault } from '../../domain/errors.js';
import { DtoPipe } from '../../http/dto-pipe.js';
import { CancelRequest, limitFaults, TriggerRequest } from './trigger-request.js';

const pipe = new DtoPipe(TriggerRequest, limitFaults);
const request = { topologyId: 1, userMessage: 'Why?' };

function faultsOf(body: unknown): readonly Fault[] {
  try {
    pipe.transform(body);
  } catch (error) {
    return (error as ConsiliumError).options.faults ?? [];
  }
  return [];
}

describe('the body of a trigger', () => {
  it('keeps what it knows and drops the rest', () => {
    const body = { ...request, limits: { maxIterations: 3 }, unknown: 1 };
    expect({ ...pipe.transform(body) }).toEqual({ ...request, limits: { maxIterations: 3 } });
    // A key of every object is no field of the request.
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"topologyId":1},"constructor":{},"userMessage":"x"}',
    );
    expect(faultsOf(hostile).map(({ path }) => path)).toEqual(['topologyId']);
  });

  it.each([
    ['topologyId', [0, -1, 1.5, '1', null, undefined, 2 ** 53, NaN, [1]]],
    ['userMessage', ['', '  ', '\n', '\u200b', 7, null, undefined, 'x'.repeat(10_001)]],
    ['nodes', ['db', [7], {}, Array(1_001).fill('db')]],
    ['teams', ['A', [null], 7]],
    ['onDisconnect', ['stop', 7, ['cancel']]],
  ])('refuses other values of %s', (key, values) => {
    for (const value of values)
      expect(faultsOf({ ...request, [key]: value })).toMatchObject([{ path: key }]);
  });

  it('counts code points of a message', () => {
    expect(faultsOf({ ...request, userMessage: '😀'.repeat(10_000) })).toEqual([]);
    expect(faultsOf({ ...request, userMessage: '😀'.repeat(10_001) })).toHaveLength(1);
  });

  it('names unknown limits and those out of bounds by their paths', () => {
    const limits = { maxIterations: 0, tokenBudget: '7', maxTurns: 3 };
    expect(faultsOf({ ...request, limits })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'limits.maxIterations' }),
        expect.objectContaining({ path: 'limits.tokenBudget' }),
        { path: 'limits.maxTurns', message: expect.stringMatching(/^is not a limit; allowed: /) },
      ]),
    );
    for (const value of [7, [], null, 'none'])
      expect(faultsOf({ ...request, limits: value })).toEqual([
        { path: 'limits', message: 'must be an object' },
      ]);
  });

  it('names all faults at once', () => {
    const paths = faultsOf({ nodes: 7, limits: { x: 1 } }).map(({ path }) => path);
    expect(paths.sort()).toEqual(['limits.x', 'nodes', 'topologyId', 'userMessage']);
  });

  it.each(['text', null, [], 7, undefined])('is not %j', (body) => {
    expect(faultsOf(body)).toEqual([{ path: 'body', message: 'must be a JSON object' }]);
  });
});

it('the body of a cancel has the id of a run', () => {
  const cancel = new DtoPipe(CancelRequest);
  expect({ ...cancel.transform({ runId: 'x', reason: 'y' }) }).toEqual({ runId: 'x' });
  expect(() => cancel.transform({ runId: 7 })).toThrow(/not valid/);
});
