import { expect, it } from '@jest/globals';
import { pushEvent } from '../../console/src/model/fold/fold-event.js';
import { RunModel } from '../../console/src/model/run-model.js';
import { factAt } from '../../console/src/model/view/fact-at.js';
import type { NamedEvent } from '../../src/client/index.js';

/** What the card of a machine says after a measurement. */
function factOf(measurements: object): string {
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
  const ids = { dispatch_id: 'd1', turn: 1, attempt: 1, tool: 'host_resources' };
  push('system.topology', { hierarchy: { nodes: [{ id: 'host', name: 'Host', kind: 'host' }] } });
  push('dispatch.worker', { worker_name: 'W', agent_id: 'w', dispatch_id: 'd1', task: 'Look.' });
  push('llm.tool_call', { ...ids, args: { node: 'host' }, tool_call_id: 't' });
  push('llm.tool_result', {
    ...ids,
    tool_call_id: 't',
    status: 'ok',
    duration_ms: 1,
    result: { status: 'ok', summary: 'well', measurements, issues: [] },
  });
  return factAt(model, 'host', model.last);
}

it('says of a machine what it has least left of, in one number', () => {
  expect(factOf({ load_per_core: 0.4, disk_percent: 97, memory_percent: 60 })).toBe('disk 97 %');
  expect(factOf({ load_per_core: 3.15, disk_percent: 30, memory_percent: 60 })).toBe('load 3.15');
  expect(factOf({ load_per_core: 0.1, disk_percent: 30, memory_percent: 60 })).toBe('memory 60 %');
  expect(factOf({ load_per_core: 0.1 })).toBe('load 0.1');
});
