import type { Command, Redis } from 'ioredis';

/** ms between two commands that are timed: timing each would cost as much as a part of them. */
const PAUSE_MS = 100;

/**
 * Measures how long some commands of a connection take: at most ten a second, also those that fail.
 * @param took called with seconds
 */
export function timeCommands(
  redis: Pick<Redis, 'sendCommand'>,
  took: (seconds: number) => void,
  now: () => number = () => performance.now(),
): void {
  const send = redis.sendCommand.bind(redis);
  let next = -Infinity;
  redis.sendCommand = (command: Command, ...rest) => {
    const begun = now();
    if (begun >= next) {
      next = begun + PAUSE_MS;
      const end = () => took((now() - begun) / 1_000);
      command.promise.then(end, end);
    }
    return send(command, ...rest);
  };
}
