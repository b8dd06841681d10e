import { expect, it } from '@jest/globals';
import type { Observations } from '../../engine/observations.js';
import { rankInThread } from './rank-in-thread.js';

const seen: Observations = {
  frame: { start: 0, now: 3_600_000 },
  nodes: [{ id: 'shop', name: 'shop', dependsOn: [] }],
  alerts: [],
  series: [],
  templates: [],
  patterns: [],
  spans: [],
  notes: new Map(),
  changes: [],
  status: [],
  recordings: [],
  kubernetes: [],
  kubernetesByNode: new Map(),
};

it('returns the ranking of the thread', async () => {
  const task = { seen, question: '' };
  expect(await rankInThread(task, new AbortController().signal)).toMatchObject({
    healthy: true,
    causes: [],
  });
});
