import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import type { Observations } from '../../domain/engine/observations.js';
import { rankInThread } from './rank-in-thread.js';

const seen: Observations = {
  frame: { start: 0, now: 3_600_000 },
  nodes: [{ id: 'shop', name: 'shop', dependsOn: [] }],
  ...{ alerts: [], series: [], templates: [], patterns: [], spans: [], notes: new Map() },
  ...{ changes: [], status: [], recordings: [], kubernetes: [], kubernetesByNode: new Map() },
};
const task = { seen, question: '' };
const never = new AbortController().signal;

const program = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const fileUrl = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href;

it('returns the ranking of the thread', async () => {
  const source = program(`
    import { register } from 'node:module';
    register(${JSON.stringify(fileUrl('../../../scripts/ts-hooks.mjs'))});
    await import(${JSON.stringify(fileUrl('ranking-thread.ts'))});`);
  expect(await rankInThread(task, never, source)).toMatchObject({ healthy: true, causes: [] });
});

it('ends a thread that does not come to an end, and runs meanwhile', async () => {
  const cancel = new AbortController();
  const ranking = rankInThread(task, cancel.signal, program('for (;;);'));
  let turns = 0;
  while (turns < 10) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    turns += 1;
  }
  cancel.abort(new Error('too late'));
  await expect(ranking).rejects.toThrow('too late');
});

it.each([
  ['throws', 'throw new Error("broken")', 'broken'],
  ['ends', 'process.exit(3)', 'The ranking ended without a result (3)'],
])('rejects if the thread %s', async (_, code, message) => {
  await expect(rankInThread(task, never, program(code))).rejects.toThrow(message);
});

it('starts no thread after a cancel', async () => {
  const reason = new Error('cancelled');
  await expect(rankInThread(task, AbortSignal.abort(reason), program(''))).rejects.toBe(reason);
});
