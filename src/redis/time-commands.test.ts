import { expect, it } from '@jest/globals';
import { timeCommands } from './time-commands.js';

it('times at most ten commands a second, also those that fail', async () => {
  const sent: string[] = [];
  const redis = {
    sendCommand: (command: { name: string; promise: Promise<unknown> }) => {
      sent.push(command.name);
      return command.promise;
    },
  };
  const times: number[] = [];
  let now = 0;
  timeCommands(
    redis,
    (seconds) => times.push(seconds),
    () => now,
  );
  const send = (name: string, promise: Promise<unknown>) => redis.sendCommand({ name, promise });
  let resolve: (value: string) => void = () => undefined;
  const promise = new Promise<string>((settle) => (resolve = settle));
  const first = send('get', promise);
  now = 50;
  await send('set', Promise.resolve());
  resolve('value');
  expect(await first).toBe('value');
  now = 100;
  await expect(send('del', Promise.reject(new Error('no')))).rejects.toThrow('no');
  await Promise.resolve();
  expect(sent).toEqual(['get', 'set', 'del']);
  expect(times).toEqual([0.05, 0]);
});
