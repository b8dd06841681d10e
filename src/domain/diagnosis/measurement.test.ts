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

  it('takes a call whose arguments were refused for no measurement', () => {
    const refused = {
      ...{ sequence: 5, timestamp: '2026-11-22T10:00:00.000Z', source: { agent_id: '3' } },
      data: {
        ...{ tool: 'http_probe', status: 'error' },
        result: { error: 'node: it is missing; give one of: web', code: 'NOT_MEASURED' },
      },
    } as unknown as RunEvent<'llm.tool_result'>;
    const workers = [{ agentId: '3', node: 'web', tools: ['http_probe'] }];
    const teams = [{ workers }] as unknown as Parameters<typeof measurementOf>[1]['teams'];
    expect(measurementOf(refused, { teams })).toBeUndefined();
  });
});
