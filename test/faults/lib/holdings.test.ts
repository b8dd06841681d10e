import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { builtFile } from '../../support/processes/built.js';
import { until } from '../../support/until.js';
import { NodeProcess } from './cluster.js';
import { judgeHoldings, takeHoldings, type Holdings } from './holdings.js';
import type { Vitals } from './vitals.js';

test('finds every kind of resource that a process does not release', async () => {
  const leaky = await NodeProcess.start(builtFile('test/faults/leaks.ts'), 'worker', {});
  const hold = async (): Promise<Holdings> => ({
    processes: [{ role: 'worker', vitals: (await leaky.vitals(true)) as Vitals }],
    connections: {},
    channels: [],
  });
  try {
    const before = await hold();
    expect(judgeHoldings(before, before)).toEqual([]);
    const found = judgeHoldings(before, await hold()).join('\n');
    const kinds = [
      'TCPSocketWrap',
      'Timeout',
      'emitters',
      'listeners on emitters',
      'signals',
      'listeners on signals',
      'MB of heap',
      'MB of buffers',
    ];
    for (const what of kinds)
      expect(found).toMatch(
        new RegExp(`the worker process holds \\d+ ${what}, and \\d+ when no run had begun`),
      );
    await until('a warning', () => leaky.warnings.length > 0);
    expect(leaky.warnings.join()).toMatch(
      /MaxListenersExceededWarning: Possible EventEmitter memory leak/,
    );
  } finally {
    await leaky.end();
  }
});

test('finds connections to Redis and channels that are left', async () => {
  const store = new Redis(process.env['TEST_REDIS_URL'] as string);
  const [connectionName, channel] = ['left', 'holdings-test-channel'];
  const mine = async (): Promise<Holdings> => {
    const { connections, channels } = await takeHoldings([], store);
    return {
      processes: [],
      connections: { left: connections['left'] ?? 0 },
      channels: channels.filter((name) => name === channel),
    };
  };
  const before = await mine();
  const left = Array.from(
    { length: 3 },
    () => new Redis(store.options.port ?? 0, { connectionName }),
  );
  try {
    await left[0]?.subscribe(channel);
    await Promise.all(left.slice(1).map((redis) => redis.ping()));
    const problems = judgeHoldings(before, await mine());
    expect(problems).toEqual([
      expect.stringMatching(/3 connections named "left", and 0/),
      expect.stringMatching(/on 1 channels still: hold/),
    ]);
  } finally {
    [store, ...left].forEach((redis) => redis.disconnect());
  }
});
