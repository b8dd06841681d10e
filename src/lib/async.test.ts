import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { abortable, atMost, ClosableSignal, pause, retry, withinTime } from './async.js';

const never = new Promise<never>(() => undefined);
const stopped = new Error('stopped');

/** A signal that fires in a later turn of the event loop. */
function firing(): AbortSignal {
  const controller = new AbortController();
  setImmediate(() => controller.abort(stopped));
  return controller.signal;
}

describe('abortable', () => {
  it('settles like the promise', async () => {
    const { signal } = new AbortController();
    await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(abortable(Promise.reject(stopped), signal)).rejects.toBe(stopped);
  });

  it('rejects with the reason of a signal that fires, or has fired', async () => {
    await expect(abortable(never, firing())).rejects.toBe(stopped);
    await expect(abortable(never, AbortSignal.abort(stopped))).rejects.toBe(stopped);
  });
});

describe('atMost', () => {
  it('settles like the promise', async () => {
    await expect(atMost(60_000, Promise.resolve(1), 'late')).resolves.toBe(1);
    await expect(atMost(60_000, Promise.reject(stopped), 'late')).rejects.toBe(stopped);
  });

  it('resolves with the given value if the promise is late', async () => {
    await expect(atMost(1, never, 'late')).resolves.toBe('late');
  });
});

describe('pause', () => {
  it('ends after its time', () => expect(pause(1)).resolves.toBeUndefined());

  it('rejects as soon as the signal fires', async () => {
    await expect(pause(60_000, firing())).rejects.toBe(stopped);
  });
});

describe('retry', () => {
  const options = { firstMs: 1, longestMs: 2, isFinal: (error: unknown) => error === stopped };
  /** Fails with each of these errors in turn, then returns the number of attempts. */
  const failing = (...errors: Error[]) => {
    let attempts = 0;
    return () => {
      const error = errors[attempts++];
      return error ? Promise.reject(error) : Promise.resolve(attempts);
    };
  };

  it('repeats until an attempt succeeds', async () => {
    await expect(retry(failing(new Error('a'), new Error('b')), options)).resolves.toBe(3);
  });

  it('stops at a final error', async () => {
    await expect(retry(failing(new Error('a'), stopped), options)).rejects.toBe(stopped);
  });

  it('stops when the signal fires during a pause', async () => {
    const slow = { ...options, firstMs: 60_000, longestMs: 60_000, signal: firing() };
    await expect(retry(failing(new Error('a')), slow)).rejects.toBe(stopped);
  });
});

describe('withinTime', () => {
  const late = () => new Error('late');
  const ended = (own: AbortSignal) =>
    new Promise<never>((_, reject) => {
      own.addEventListener('abort', () => reject(own.reason as Error));
    });

  it('gives work a signal that ends with it', async () => {
    const seen: AbortSignal[] = [];
    const work = async (own: AbortSignal) => seen.push(own);
    expect(await withinTime({ ms: 60_000, late }, work)).toBe(1);
    expect(seen[0]?.aborted).toBe(true);
  });

  it('stops work after its time, and with the outer signal', async () => {
    await expect(withinTime({ ms: 1, late }, ended)).rejects.toThrow('late');
    const outer = new AbortController();
    const stopped = withinTime({ outer: outer.signal, ms: 60_000, late }, ended);
    outer.abort(new Error('cancelled'));
    await expect(stopped).rejects.toThrow('cancelled');
    await expect(withinTime({ outer: outer.signal, ms: 1, late }, ended)).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('ClosableSignal', () => {
  it('fires with any of the others, with its reason, and at once if one has fired', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const ends = new ClosableSignal([first.signal, second.signal]);
    expect(ends.signal.aborted).toBe(false);
    second.abort(stopped);
    expect(ends.signal.reason).toBe(stopped);
    expect(new ClosableSignal([first.signal, second.signal]).signal.reason).toBe(stopped);
  });

  it('fires after its time', async () => {
    const { signal } = new ClosableSignal([], 1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('does not fire any more when it is closed', async () => {
    const other = new AbortController();
    const ends = new ClosableSignal([other.signal], 1);
    ends.close();
    other.abort(stopped);
    await pause(20);
    expect(ends.signal.aborted).toBe(false);
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  });
});
