import { expect, it } from '@jest/globals';
import type { LogPort } from '../event-log/log-port.js';
import type { RunIndex } from '../event-log/run-index.js';
import { RunCloser } from './run-closer.js';

const lists = { topologyId: 1, tenant: 'default' };

it('calls handlers after the close once, although two calls close a run', async () => {
  const steps: string[] = [];
  let open = true;
  const index = {
    close: async () => {
      const was = open;
      open = false;
      return was;
    },
  } as unknown as RunIndex;
  const log = { dropTopology: async () => undefined } as unknown as LogPort;
  const closer = new RunCloser(log, index, [
    { beforeClose: async () => void steps.push('before') },
    { afterClose: async () => void steps.push('after') },
  ]);
  await Promise.all([closer.close('r', lists), closer.close('r', lists)]);
  expect(steps).toEqual(['before', 'before', 'after']);
});

it('closes a run after its handlers, and leaves it open if one of them fails', async () => {
  const steps: string[] = [];
  let broken = true;
  const index = { close: async () => void steps.push('closed') } as unknown as RunIndex;
  const log = {
    dropTopology: async (runId: string) => void steps.push(`shortened ${runId}`),
  } as unknown as LogPort;
  const closer = new RunCloser(log, index, [
    { beforeClose: async (runId) => void steps.push(`first ${runId}`) },
    {
      beforeClose: async () => {
        if (broken) throw new Error('no');
        steps.push('second');
      },
    },
  ]);
  await expect(closer.close('r', lists)).rejects.toThrow('no');
  expect(steps).toEqual(['first r']);
  broken = false;
  await closer.close('r', lists);
  expect(steps).toEqual(['first r', 'first r', 'second', 'shortened r', 'closed']);
});
