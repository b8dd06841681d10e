import { describe, expect, it } from '@jest/globals';
import { crashIn, metBy, watchRestarts, type LookResult } from './restarts.js';

/** A port that is open or closed, and what asking it meets. */
function service(ports: boolean[], answers: LookResult[]) {
  const asked = { ports: 0, looks: 0 };
  return {
    asked,
    signal: new AbortController().signal,
    isOpen: () => Promise.resolve(ports[Math.min(asked.ports++, ports.length - 1)] ?? false),
    look: () => Promise.resolve(answers[Math.min(asked.looks++, answers.length - 1)] ?? 'other'),
  };
}

describe('a service that does not answer', () => {
  it('that closes connections, is gone and comes back, keeps restarting', async () => {
    const met = await watchRestarts(['reset', 'reset'], service([false, true], ['reset']));
    expect(met).toEqual(['reset', 'reset', 'refused', 'reset']);
    expect(crashIn(met)?.kind).toBe('crash-loop');
  });

  it('that was gone in all tries and then comes back to close a connection, keeps restarting', async () => {
    const met = await watchRestarts(['refused', 'refused'], service([false, true], ['reset']));
    expect(crashIn(met)?.kind).toBe('crash-loop');
  });

  it('is known to keep restarting from its tries alone', async () => {
    const watching = service([true], []);
    const met = await watchRestarts(['refused', 'reset', 'refused'], watching);
    expect(crashIn(met)?.kind).toBe('crash-loop');
    expect(watching.asked).toEqual({ ports: 0, looks: 0 });
  });

  it('that ends while it answers and stays away, crashes', async () => {
    const met = await watchRestarts(['reset'], service([false], []), 50);
    expect(crashIn(met)?.kind).toBe('crash');
  });

  it('whose port stays closed is just gone', async () => {
    const met = await watchRestarts(['refused', 'refused', 'refused'], service([false], []), 50);
    expect(met).toEqual(['refused', 'refused', 'refused']);
    expect(crashIn(met)).toBeUndefined();
  });

  it('that closes every connection and is never gone does not crash', async () => {
    const watching = service([true], ['reset']);
    expect(crashIn(await watchRestarts(['reset'], watching))).toBeUndefined();
    expect(watching.asked.looks).toBe(4);
  });

  it('that comes back and answers was only away', async () => {
    const met = await watchRestarts(['refused'], service([true], ['answered']));
    expect(met).toEqual(['refused', 'answered']);
    expect(crashIn(met)).toBeUndefined();
  });

  it.each<LookResult[]>([['answered'], ['other'], []])(
    'is not watched after %s',
    async (...tries) => {
      const watching = service([true], ['answered']);
      expect(await watchRestarts(tries, watching)).toEqual(tries);
      expect(watching.asked.ports).toBe(0);
    },
  );

  it('is no longer watched once the signal fires', async () => {
    const reason = new Error('cancelled');
    const watching = { ...service([false], []), signal: AbortSignal.abort(reason) };
    await expect(watchRestarts(['refused'], watching)).rejects.toBe(reason);
  });
});

it('tells closed ports and closed connections from other faults', () => {
  expect(
    [undefined, 'reset', 'refused', 'timeout', 'dns'].map((kind) => metBy(kind as 'dns')),
  ).toEqual(['answered', 'reset', 'refused', 'other', 'other']);
});
