import { expect, test } from '@jest/globals';
import { planWorker } from './plan-worker.js';

const node = { id: 'mail', name: 'Mail', kind: 'queue', dependsOn: [], attributes: {} };
const textWith = (lacks?: Record<string, string[]>) =>
  planWorker(
    { role: 'worker', node, firstLook: [], ...(lacks && { lacks }) },
    [],
    new Set(['queue_depth']),
  );

test('a node without a first look says which attributes its tools need', () => {
  expect(textWith({ queue_depth: ['queue'], queue_age: ['queue', 'vhost'] })).toMatchObject({
    text: 'Mail could not be looked at: queue_depth needs the attribute queue and queue_age needs the attributes queue and vhost in the topology.',
    calls: [{ tool: 'report', args: { status: 'failed' } }],
  });
});

test('a node that no tool is for says so', () => {
  expect(textWith().text).toBe('Mail could not be looked at: no tool is for it.');
});
