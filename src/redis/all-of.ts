import type { ChainableCommander } from 'ioredis';

/**
 * Runs a pipeline or a transaction.
 * @returns the reply of each command
 * @throws the first error among the replies, which `exec` only returns; of a transaction that was
 *   not run, what kept it from that
 */
export async function allOf(commands: ChainableCommander): Promise<unknown[]> {
  return ((await commands.exec().catch(throwFirst)) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}

/** `EXEC` fails as a consequence if Redis refuses `MULTI` or a command of the transaction. */
function throwFirst(error: Error & { previousErrors?: readonly Error[] }): never {
  const [first = error] = error.previousErrors ?? [];
  throw first;
}
