import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '../events/event.js';
import type { JsonObject } from '../../lib/json.js';
import { measurementOf } from './measurement.js';

const resultWith = (measurements: JsonObject): RunEvent<'llm.tool_result'> =>
  ({
    sequence: 5,
    timestamp: '2026-11-22T10:00:00.000Z',
    data: {
      tool: 'metrics_query',
      node: 'api',
      status: 'ok',
      result: {
        status: 'ok',
        summary: 'no metrics of api were recorded',
        measurements,
        issues: [],
      },
    },
  }) as unknown as RunEvent<'llm.tool_result'>;

describe('measurementOf', () => {
  it('takes a source that holds nothing about the node for no measurement', () => {
    expect(measurementOf(resultWith({ recorded: false }), { teams: [] })?.status).toBe(
      'unavailable',
    );
    expect(measurementOf(resultWith({ recorded: true }), { teams: [] })?.status).toBe('ok');
  });
});
