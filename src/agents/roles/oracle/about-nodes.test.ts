import { expect, it } from '@jest/globals';
import type { Measurement } from '../../../domain/diagnosis/measurement.js';
import type { Report } from '../../../domain/diagnosis/finding.js';
import type { LogReader } from '../../../event-log/log-port.js';
import type { Topology } from '../../../domain/topology/topology.js';
import {
  citedSources,
  firstOfEach,
  measurementsOf,
  subjectOf,
  type NamedNodes,
} from './about-nodes.js';

const dependsOn = { web: ['shop', 'cache'], shop: ['db'], cache: [], db: [] };
const nodes = Object.entries(dependsOn).map(([id, needs]) => ({
  id,
  name: `The ${id}`,
  dependsOn: needs,
}));
const topology = { name: 'Corner', nodes, teams: [] } as unknown as Topology;
const about = (text: string) => subjectOf(topology, text) as NamedNodes;
const finding = (node: string, evidence: number[]) => ({ node, title: 'is down', evidence });
const report = {
  root_causes: [finding('db', [5])],
  findings: [finding('db', [5]), finding('shop', [7]), finding('web', [9])],
  citations: [
    { sequence: 5, tool: 'tcp_probe', node: 'db', status: 'failed', summary: 'down', at: '' },
  ],
} as unknown as Report;
const measured = (sequence: number, node: string, more: Partial<Measurement> = {}) =>
  ({
    sequence,
    node,
    tool: 'probe',
    status: 'ok',
    measures: 'service',
    summary: 'x',
    at: '',
    ...more,
  }) as Measurement;
const logWith = (measurements: Measurement[]) =>
  ({ measured: async () => ({ evidence: new Map(), measurements }) }) as unknown as LogReader;
const pathsOf = (subject: NamedNodes | undefined) =>
  citedSources('r', report, subject).map(({ path }) => path);

it('finds the nodes that a question names, and what explains how they are', () => {
  expect(about('Is the SHOP healthy?')).toMatchObject({
    nodes: ['shop'],
    explaining: new Set(['shop', 'db']),
  });
  expect(subjectOf(topology, 'what is broken?')).toBeUndefined();
});

it('cites the findings about the nodes in question, and the root causes that explain them', () => {
  expect(pathsOf(about('is the shop healthy?'))).toEqual(['runs/r/events/5', 'runs/r/events/7']);
  expect(pathsOf(about('is the cache healthy?'))).toEqual([]);
  expect(pathsOf(undefined)).toHaveLength(4);
});

it('reads the latest measurements of each node in question, in the order of the log', async () => {
  const all = [
    ...[1, 2, 3, 4, 5].map((sequence) => measured(sequence, 'cache')),
    measured(6, 'db'),
    measured(7, 'cache', { status: 'unavailable' }),
    measured(8, 'cache', { measures: 'system' }),
    measured(9, 'shop', { summary: 'y'.repeat(999) }),
  ];
  const found = await measurementsOf(logWith(all), 'r', about('shop and cache'), null);
  expect(found.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5, 9]);
  expect(found.at(-1)?.summary.length).toBeLessThanOrEqual(300);
});

it('reads those that the report cites if the log is no longer kept', async () =>
  expect(await measurementsOf(logWith([]), 'r', about('db'), report)).toMatchObject([
    { sequence: 5 },
  ]));

it('has each source once, the first of its path', () => {
  const [a, b] = [1, 0.9].map(
    (score) => ({ path: 'p', source_type: 'event', snippet: '', score }) as const,
  );
  expect(firstOfEach([a!, b!])).toEqual([a]);
});
