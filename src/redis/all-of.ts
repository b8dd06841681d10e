import type { ChainableCommander } from 'ioredis';

/**
 * Runs a pipeline or a transaction.
 * @returns the reply of each command
 * @throws the first error among the replies, which `exec` only returns
 */
export async function allOf(commands: ChainableCommander): Promise<unknown[]> {
  return ((await commands.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
