import { describe, expect, test } from '@jest/globals';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { parseTopology, parsingSteps } from './parse-topology.js';

const faultsOf = (input: unknown) => {
  const outcome = parseTopology(input, [
    { name: 'host_resources', appliesTo: ({ kind }) => kind === 'host' },
  ]);
  return 'faults' in outcome ? outcome.faults : [];
};

describe('steps', () => {
  /** The greatest number of calls of a counter in one step. */
  function mostInAStep(input: unknown, { applies }: { applies: () => void }): number {
    let most = 0;
    calls = 0;
    const tool = { name: 'look', appliesTo: () => (applies(), true) };
    for (const steps = parsingSteps(input, [tool]); !steps.next().done; calls = 0)
      most = Math.max(most, calls);
    return most;
  }
  let calls = 0;
  const count = () => void (calls += 1);
  const ids = Array.from({ length: 300 }, (_, i) => `n${i}`);
  const node = (id: string) => ({ id, name: id, kind: 'host' });
  const worker = (id: string, i: number) => ({
    agentId: `${1000 + i}`,
    name: id,
    node: id,
    tools: ['look'],
  });
  const counted = (part: object, key: string) =>
    Object.defineProperty({ ...part }, key, { enumerable: true, get: () => void count() });

  test.each([
    ['reads one node', { nodes: ids.map((id) => counted(node(id), 'attributes')) }, () => {}],
    ['derives the agent of one node', { nodes: ids.map(node) }, count],
    ['groups one node', { nodes: ids.map((id) => ({ ...node(id), attributes: { team: 'a' } })) }, count],
    [
      'reads one worker',
      {
        nodes: ids.map(node),
        teams: [{ name: 'T', nodes: ids, supervisor: { agentId: '1', name: 'S' }, workers: ids.map((id, i) => counted(worker(id, i), 'prompt')) }],
      },
      () => {},
    ],
    [
      'checks the tools of one worker',
      {
        nodes: ids.map(node),
        teams: [{ name: 'T', nodes: ids, supervisor: { agentId: '1', name: 'S' }, workers: ids.map(worker) }],
      },
      count,
    ],
  ])('%s in a step', (_name, parts, applies) => {
    const most = mostInAStep({ id: 1, name: 'All', ...parts }, { applies });
    expect([1, 2]).toContain(most);
  }); // prettier-ignore
});

describe('hostile input', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `n${index}`,
      name: 'n',
      kind: 'host',
      dependsOn: index === 0 ? [`n${count - 1}`] : [`n${index - 1}`],
    }));
  const cases: [string, unknown][] = [
    ['a million wrong nodes', { id: 1, name: 'x', nodes: Array(1_000_000).fill(1) }],
    ['500,000 wrong dependencies', { id: 1, name: 'x', nodes: Array.from({ length: 1000 }, (_, i) => ({ id: `${i}`, name: 'x', kind: 'host', dependsOn: Array(500).fill(1) })) }],
    ['500,000 missing dependencies', { id: 1, name: 'x', nodes: Array.from({ length: 1000 }, (_, i) => ({ id: `${i}`, name: 'x', kind: 'host', dependsOn: Array(500).fill('zz') })) }],
    ['100,000 unknown keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, 1]))],
    ['a cycle of 1000', { id: 1, name: 'x', nodes: many(1000) }],
    ['all depend on all', { id: 1, name: 'x', nodes: many(700).map((entry) => ({ ...entry, dependsOn: many(700).map(({ id }) => id) })) }],
    ['deep attributes', { id: 1, name: 'x', nodes: [{ id: 'a', name: 'a', kind: 'host', attributes: JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as unknown }] }],
    ['a long key', { ['k'.repeat(1_000_000)]: 1 }],
    ['a long name', { id: 1, name: 'n'.repeat(10_000_000), nodes: many(2) }],
  ]; // prettier-ignore
  test.each(cases)('%s: refused in good time, in an answer of bounded size', (_name, input) => {
    const before = processorMs();
    const faults = faultsOf(input);
    expect(processorMs() - before).toBeLessThan(5_000);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(1_001);
    expect(JSON.stringify(faults).length).toBeLessThan(3_000_000);
  });
});
