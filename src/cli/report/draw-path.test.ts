import { expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import { failurePaths } from './draw-path.js';

/** The nodes of a graph: `web: db cache`. */
const graph = (...lines: string[]) =>
  new Map(
    lines.map((line) => {
      const [id = '', rest = ''] = line.split(':');
      return [id, { id, name: id, dependsOn: rest.split(' ').filter((name) => name !== '') }];
    }),
  );
const reportOf = (
  causes: (string | { node: string; chain: string[] })[],
  unhealthy: string[],
): Report =>
  ({
    root_causes: causes.map((cause) => (typeof cause === 'string' ? { node: cause } : cause)),
    findings: unhealthy.map((node) => ({ node, severity: 'critical' })),
  }) as unknown as Report;

it('leads from the unhealthy node furthest upstream to the root cause', () => {
  const nodes = graph('edge: web', 'web: api', 'api: db', 'job: db', 'db:');
  expect(failurePaths(reportOf(['db'], ['edge', 'web', 'api', 'job', 'db']), nodes)).toEqual([
    ['edge', 'web', 'api', 'db'],
  ]);
});

it('passes no node that is well', () => {
  const nodes = graph('edge: web', 'web: api', 'api: db', 'db:');
  expect(failurePaths(reportOf(['db'], ['edge', 'api']), nodes)).toEqual([['api', 'db']]);
  const informed = {
    ...reportOf(['db'], []),
    findings: [{ node: 'api', severity: 'info' }],
  } as unknown as Report;
  expect(failurePaths(informed, nodes)).toEqual([['db']]);
});

it('is the chain that the report has', () => {
  const chain = ['edge', 'db'];
  expect(failurePaths(reportOf([{ node: 'db', chain }], []), graph('db:'))).toEqual([chain]);
});

it('has one path for each root cause, also for one that is not in the topology', () => {
  expect(failurePaths(reportOf(['a', 'gone'], ['b']), graph('b: a', 'a:'))).toEqual([
    ['b', 'a'],
    ['gone'],
  ]);
});

it('passes no node twice in a circle', () => {
  const nodes = graph('a: b', 'b: c', 'c: a');
  const [path = []] = failurePaths(reportOf(['a'], ['a', 'b', 'c']), nodes);
  expect(path.at(-1)).toBe('a');
  expect(new Set(path).size).toBe(path.length);
});
