import type { ChainableCommander } from 'ioredis';

/** Carries out a pipeline or a transaction. @returns what each command answered. @throws the first error among them: `exec` only answers it */
export async function allOf(commands: ChainableCommander): Promise<unknown[]> {
  return ((await commands.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
