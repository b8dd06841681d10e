import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { interruptSignal, unlessAborted } from './interrupt.js';

describe('a signal of Ctrl-C', () => {
  const { npm_lifecycle_event: script } = process.env;
  const startedBy = (runner: 'npm' | 'shell') => {
    delete process.env['npm_lifecycle_event'];
    if (runner === 'npm') process.env['npm_lifecycle_event'] = 'start';
  };
  const mine = process.listeners('SIGINT');
  const press = (): boolean => process.emit('SIGINT');
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  afterEach(() => {
    exit.mockClear();
    startedBy('shell');
    if (script !== undefined) process.env['npm_lifecycle_event'] = script;
    for (const name of ['SIGINT', 'SIGTERM'] as const)
      for (const each of process.listeners(name)) if (!mine.includes(each)) process.off(name, each);
  });

  it('is the same press if npm sends it again, also where the loop was blocked in between', async () => {
    startedBy('npm');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [[receiver]] = (await Promise.all([
      once(server, 'connection'),
      once(sender, 'connect'),
    ])) as [[Socket], unknown];
    const signal = interruptSignal();
    press();
    expect(signal.aborted).toBe(true);
    // Node delivers a signal in the poll phase, as it does these bytes: after the timers that are
    // due. They have arrived when `write` returns.
    const sent = once(receiver, 'data').then(press);
    sender.write('2');
    const until = performance.now() + 200;
    while (performance.now() < until);
    await sent;
    expect(exit).not.toHaveBeenCalled();
    sender.destroy();
    receiver.destroy();
    server.close();
  });

  it.each([
    ['shell', 1],
    ['npm', 2],
  ] as const)(
    'of a process that the %s started comes %d times; another one is a second press, also where both waited for a blocked loop',
    (runner, times) => {
      startedBy(runner);
      interruptSignal();
      for (let time = 0; time < times; time++) press();
      expect(exit).not.toHaveBeenCalled();
      press();
      expect(exit).toHaveBeenCalledWith(130);
    },
  );

  it('is a second press 150 ms later, which ends the process', async () => {
    startedBy('npm');
    interruptSignal();
    press();
    await sleep(150);
    // A loop that was blocked runs this pause and the end of the first press in one turn.
    await setImmediate();
    press();
    expect(exit).toHaveBeenCalledWith(130);
  });

  it('is no second press if it is the SIGTERM of a parent that has ended', async () => {
    interruptSignal();
    press();
    await sleep(150);
    process.emit('SIGTERM');
    expect(exit).not.toHaveBeenCalled();
  });
});

it('settles as the work does', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(3), signal)).toBe(3);
  await expect(unlessAborted(Promise.reject(new Error('why')), signal)).rejects.toThrow('why');
});

it('rejects at once when the signal fires, or has fired', async () => {
  const controller = new AbortController();
  const never = new Promise(() => undefined);
  const waiting = unlessAborted(never, controller.signal);
  controller.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  await expect(unlessAborted(never, controller.signal)).rejects.toThrow('stop');
});
