import { expect, it } from '@jest/globals';
import { pushEvent } from '../../console/src/model/fold/fold-event.js';
import { RunModel } from '../../console/src/model/run-model.js';
import { factAt } from '../../console/src/model/view/fact-at.js';
import type { NamedEvent } from '../../src/client/index.js';

interface Result {
  tool?: string;
  summary?: string;
  measurements?: object;
  issues?: object[];
}

/** What the card of a machine says after a measurement. */
const factOf = (measurements: object): string => factAfter({ measurements });

/** What the card of a node says after these results of its worker, and after its report. */
function factAfter(...results: Result[]): string {
  const model = new RunModel();
  const worker = { agent_id: 'w', agent_type: 'worker', agent_name: 'W', team_name: 'T' };
  const push = (name: string, data: object): void => {
    const [category, action] = name.split('.');
    pushEvent(model, {
      run_id: 'r',
      timestamp: '2026-01-01T00:00:00.000Z',
      source: worker,
      name,
      data,
      sequence: model.last + 1,
      event: { category, action },
    } as unknown as NamedEvent);
  };
  push('system.topology', {
    hierarchy: {
      nodes: [{ id: 'host', name: 'Host', kind: 'host' }],
      teams: [{ workers: [{ agent_id: 'w', agent_name: 'W', node: 'host' }] }],
    },
  });
  push('dispatch.worker', { worker_name: 'W', agent_id: 'w', dispatch_id: 'd1', task: 'Look.' });
  results.forEach(({ tool = 'host_resources', ...result }, i) => {
    const ids = { dispatch_id: 'd1', turn: 1, attempt: 1, tool, tool_call_id: `t${i}` };
    push('llm.tool_call', { ...ids, args: { node: 'host' } });
    push('llm.tool_result', {
      ...ids,
      status: 'ok',
      duration_ms: 1,
      result: { status: 'ok', summary: 'well', measurements: {}, issues: [], ...result },
    });
  });
  push('dispatch.report', {
    dispatch_id: 'd1',
    status: 'ok',
    summary: 'well',
    findings: [],
    reasons: [],
  });
  return factAt(model, 'host', model.last);
}

it('shows the scarcest resource of a machine in one number', () => {
  expect(factOf({ load_per_core: 0.4, disk_percent: 97, memory_percent: 60 })).toBe('disk 97 %');
  expect(factOf({ load_per_core: 3.15, disk_percent: 30, memory_percent: 60 })).toBe('load 3.15');
  expect(factOf({ load_per_core: 0.1, disk_percent: 30, memory_percent: 60 })).toBe('memory 60 %');
  expect(factOf({ load_per_core: 0.1 })).toBe('load 0.1');
});

const moved = {
  tool: 'metrics_compare',
  measurements: { moved: [{ name: 'http_5xx_ratio', from: 0.0005, to: 0.16 }] },
  issues: [{ severity: 'info', title: 'http_5xx_ratio went from 0.0005 to 0.16' }],
};
const logs = {
  tool: 'log_patterns',
  summary: '5 patterns: 1 new',
  measurements: { new: [{ error: true }] },
  issues: [{ severity: 'info', title: 'new error in its logs' }],
};

it('rounds as the finding does', () => {
  const of = (from: number, to: number): string =>
    factAfter({ tool: 'metrics_compare', measurements: { moved: [{ name: 'm', from, to }] } });
  expect(of(0.00046975, 0.1592)).toBe('0.0005 → 0.16 m');
  expect(of(37.73, 120.4)).toBe('37.7 → 120 m');
});

it('shows how far a recorded series went, before the text of a log', () => {
  expect(factAfter(moved, logs)).toBe('0.0005 → 0.16 http_5xx_ratio');
  expect(factAfter(logs, moved)).toBe('0.0005 → 0.16 http_5xx_ratio');
});

it('says no error of a log about a node that is healthy', () => {
  expect(factAfter(logs)).toBe('5 patterns: 1 new');
});
