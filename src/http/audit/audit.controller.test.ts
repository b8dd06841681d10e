import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { Response } from 'express';
import { LOCAL } from '../access/principal.js';
import { chained } from './audit-entry.js';
import type { AuditLog } from './audit-log.js';
import { AuditController } from './audit.controller.js';

const PAGES = 50;
const entry = chained(
  {
    at: '2026-11-22T22:00:00.000Z',
    tenant: 'default',
    principal: 'ann',
    method: 'POST',
    action: 'runs:start',
    path: '/runs',
    status: 202,
    address: '10.0.0.1',
  },
  '',
);

/** A controller whose log has 50 pages, and how many of them were read. */
function makeController() {
  const read = { pages: 0 };
  const log = {
    async *all() {
      for (; read.pages < PAGES; read.pages++) yield [entry, entry];
    },
  };
  return { read, controller: new AuditController(log as unknown as AuditLog) };
}

const asResponse = (stream: Writable) =>
  Object.assign(stream, { type: () => stream }) as unknown as Response;

it('reads no more of the export than its receiver takes', async () => {
  const { read, controller } = makeController();
  let written = 0;
  let lines = 0;
  let most = 0;
  const stream = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      written++;
      lines += chunk.toString().split('\n').length - 1;
      setImmediate(() => {
        most = Math.max(most, read.pages - written);
        done();
      });
    },
  });
  await controller.export({}, LOCAL, asResponse(stream));
  expect([written, lines]).toEqual([PAGES, 2 * PAGES]);
  expect(most).toBeLessThan(5);
});

it('stops the export if its receiver hangs up', async () => {
  const { read, controller } = makeController();
  const stream: Writable = new Writable({ highWaterMark: 1, write: () => void stream.destroy() });
  await controller.export({}, LOCAL, asResponse(stream));
  expect(read.pages).toBeLessThan(5);
});
