import { dirname } from 'node:path';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { EventData } from '../../../src/domain/events/event.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { logLines, writeBundle } from '../../support/incidents/write-bundle.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

const scene = new Scene();
let home: string;
beforeAll(async () => {
  const line = (minute: number, service: string, severity: string, body: string) => ({
    at: START + minute * MINUTE,
    severity,
    body,
    labels: { 'service.name': service },
  });
  const calm = Array.from({ length: 30 }, (_, i) => [
    line(i, 'shop', 'INFO', `served cart ${i}`),
    line(i, 'cart', 'INFO', `asked shop ${i}`),
  ]);
  const logs = [
    ...calm.flat(),
    line(45, 'cart', 'ERROR', 'cannot acquire connection from pool: timeout'),
    line(46, 'shop', 'ERROR', 'call of cart failed: 500'),
    line(47, 'cart', 'ERROR', 'cannot acquire connection from pool: timeout'),
  ];
  const nodes = [
    { id: 'shop', name: 'Shop', kind: 'workload', dependsOn: ['cart'] },
    { id: 'cart', name: 'Cart', kind: 'workload', dependsOn: ['shop', 'stock'] },
    { id: 'stock', name: 'Stock', kind: 'workload', dependsOn: ['cart'] },
  ];
  home = dirname(
    await writeBundle(
      {
        'topology.yaml': JSON.stringify({ id: 7, name: 'A circle', nodes }),
        'logs/l.ndjson': logLines(logs),
      },
      { reportedAt: '2026-01-01T00:50:00Z' },
    ),
  );
});
afterAll(async () => {
  await scene.close();
  await rm(home, { recursive: true });
});

test('a recorded topology with circles is stored and diagnosed, to the node that failed first', async () => {
  const api = await scene.service({ INCIDENTS_DIR: home });
  const { status, data } = await api.ask<{ id: number }>('POST', '/topologies', {
    body: { incident: 'example' },
  });
  expect([status, data.id]).toEqual([201, 7]);
  const events = expectValid((await (await api.trigger(7)).end()).text);
  const last = events.at(-1);
  expect(last?.key).toBe('lifecycle.completed');
  const { report } = last?.data as unknown as EventData['lifecycle.completed'];
  const { root_causes: causes, partial } = report as Required<Report> & { partial?: boolean };
  expect(partial ?? false).toBe(false);
  expect(causes).toMatchObject([{ node: 'cart' }]);
});
