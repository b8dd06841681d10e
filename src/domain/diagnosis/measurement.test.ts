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
        summary: 'no metrics of api were found',
        measurements,
        issues: [],
      },
    },
  }) as unknown as RunEvent<'llm.tool_result'>;

describe('measurementOf', () => {
  it('names the address, the user and the name of a database', () => {
    const targetOf = (given: JsonObject) => measurementOf(resultWith(given), { teams: [] })?.target;
    const all = { target: 'db:5432', user: 'consilium', database: 'my shop' };
    expect(targetOf(all)).toBe('consilium@db:5432/my%20shop');
    expect(targetOf({ target: 'db:5432' })).toBe('db:5432');
    expect(targetOf({ ...all, target: 5432 })).toBeUndefined();
  });

  it('names the workload that was measured, with its namespace', () => {
    const workloadOf = (given: JsonObject) =>
      measurementOf(resultWith(given), { teams: [] })?.workload;
    expect(workloadOf({ workload: 'shop/deployment/api' })).toBe('shop/deployment/api');
    for (const workload of ['shop/deployment/api; reboot', 'api', 5])
      expect(workloadOf({ workload })).toBeUndefined();
  });

  it('takes a source that holds nothing about the node for no measurement', () => {
    expect(measurementOf(resultWith({ recorded: false }), { teams: [] })?.status).toBe(
      'unavailable',
    );
    expect(measurementOf(resultWith({ recorded: true }), { teams: [] })?.status).toBe('ok');
  });

  it('cuts the words of a ranking that are too long, and keeps its root cause and all its gaps', () => {
    const said = 'x'.repeat(2_000);
    const cause = { node: 'api', kind: 'config', title: said, score: 1, confidence: 0.9 };
    const gap = { telemetry: 'logs', reason: said, forbidden: false, nodes: ['api'] };
    const event = resultWith({
      causes: [{ ...cause, change: said, for: Array<string>(30).fill(said), against: [] }],
      rejected: [{ node: 'api', title: said, reasons: [said] }],
      gaps: Array<JsonObject>(60).fill(gap),
    });
    const ranked = { ...event, data: { ...event.data, tool: 'rank_root_causes' } };
    const { ranking } = measurementOf(ranked, { teams: [] }) ?? {};
    expect(ranking?.causes).toMatchObject([
      { node: 'api', title: said.slice(0, 1_000), change: said.slice(0, 200) },
    ]);
    expect(ranking?.causes[0]?.for).toHaveLength(20);
    expect(ranking?.rejected).toHaveLength(1);
    expect(ranking?.gaps).toHaveLength(60);
  });

  it('takes a call whose arguments were refused for no measurement', () => {
    const refused = {
      sequence: 5,
      timestamp: '2026-11-22T10:00:00.000Z',
      source: { agent_id: '3' },
      data: {
        tool: 'http_probe',
        status: 'error',
        result: { error: 'node: it is missing; give one of: web', code: 'NOT_MEASURED' },
      },
    } as unknown as RunEvent<'llm.tool_result'>;
    const workers = [{ agentId: '3', node: 'web', tools: ['http_probe'] }];
    const teams = [{ workers }] as unknown as Parameters<typeof measurementOf>[1]['teams'];
    expect(measurementOf(refused, { teams })).toBeUndefined();
  });
});
