import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { Table } from '../lib/table.mjs';

export const title = 'Conclusion';
export const about = `Processor time of the conclusion of a run in which 500 nodes fail, by how they depend on each other. It is made in one piece, in which the
process does nothing else. In a mesh a node depends on up to four others, in two tiers each node of the first half depends on each of the second.`;

const NODES = 500;
const SHAPES = {
  'side by side': () => [],
  'in a chain': (i) => [i + 1],
  'in a mesh': (i) => [i + 1, i + 2, i + 7, i + 19],
  'in two tiers': (i) =>
    i < NODES / 2 ? Array.from({ length: NODES / 2 }, (_, k) => NODES / 2 + k) : [],
};
const DIST = join(import.meta.dirname, '../../dist');

export async function run({ reps }) {
  const { concludeRun } = await import(join(DIST, 'domain/diagnosis/conclude-run.js'));
  const table = new Table();
  // The first round is a warm-up and is not counted.
  for (let rep = -1; rep < reps; rep++)
    for (const [shape, below] of Object.entries(SHAPES)) {
      const { topology, measurements } = failing(below);
      await breathe();
      const from = process.cpuUsage();
      concludeRun(topology, measurements, [], { nextSteps: {} });
      const { user, system } = process.cpuUsage(from);
      if (rep >= 0) table.add(shape, 'a conclusion', 'ms', (user + system) / 1_000);
    }
  for (const shape of Object.keys(SHAPES))
    table.target(`500 nodes ${shape}`, table.median(shape, 'a conclusion'), '<=', 100, 'ms');
  return table;
}

/** Nodes that all fail, each measured once. */
function failing(below) {
  const nodes = Array.from({ length: NODES }, (_, i) => ({
    id: `n${i}`,
    name: `Node ${i}`,
    kind: 'service',
    attributes: {},
    dependsOn: below(i).flatMap((each) => (each < NODES ? [`n${each}`] : [])),
  }));
  const issue = { severity: 'critical', symptom: 'erroring', title: 'answers 500', detail: '' };
  const measurements = nodes.map(({ id }, i) => ({
    sequence: i + 10,
    at: '2026-01-01T00:00:00.000Z',
    tool: 'http_probe',
    node: id,
    measures: 'service',
    subject: '',
    tries: 3,
    partial: false,
    unreliable: false,
    status: 'failed',
    summary: 'answers 500',
    issues: [issue],
  }));
  return { topology: { nodes, teams: [] }, measurements };
}
