import { expect, test } from '@jest/globals';
import type { ToolRecording } from '../domain/telemetry/records.js';
import type { TopologySource } from '../domain/topology/topology.js';
import { replay } from './replay.js';
import { toolResult } from './result.js';
import { diagnosticTools } from './tools.js';

const live = new AbortController().signal;
const holding = (recording?: Partial<ToolRecording>) => ({
  result: () =>
    Promise.resolve(
      recording && {
        tool: 'tcp_probe',
        args: {},
        status: 'success',
        output: '',
        ...recording,
      },
    ),
});

test('gives the captured result', async () => {
  const result = toolResult('accepts connections', { connect_ms: 2 }, []);
  const probes = holding({ output: JSON.stringify(result) });
  expect(await replay(probes, 'tcp_probe', { node: 'db' }, live)).toEqual(result);
});

test('fails as the captured call did', async () => {
  const probes = holding({ status: 'timeout', output: 'no result within 30 s' });
  await expect(replay(probes, 'tcp_probe', { node: 'db' }, live)).rejects.toThrow(
    'no result within 30 s',
  );
});

test('says that a call was not recorded', async () => {
  await expect(replay(holding(), 'tcp_probe', { node: 'db' }, live)).rejects.toThrow(
    'not recorded: no tcp_probe of db',
  );
});

test('a probe applies to a recorded incident only where results of probes were captured', () => {
  const tcp = diagnosticTools.find(({ name }) => name === 'tcp_probe');
  const node = {
    id: 'db',
    name: 'db',
    kind: 'tcp',
    endpoint: '10.0.0.1:5432',
    dependsOn: [],
    attributes: {},
  };
  const recording = (provides: TopologySource['provides']): TopologySource[] => [
    { id: 'recording', kind: 'recording', incident: 'a', provides },
  ];
  expect(tcp?.appliesTo(node)).toBe(true);
  expect(tcp?.appliesTo(node, recording(['metrics']))).toBe(false);
  expect(tcp?.appliesTo(node, recording(['probes']))).toBe(true);
});
