import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 200;

/**
 * Asks the oracle and waits until the turn has ended, over whichever process answers.
 * @returns the final status
 */
export async function askOracle(
  anyApi: () => string | undefined,
  { caller, key, message }: { caller: string; key: string; message: string },
  signal: AbortSignal,
): Promise<string> {
  const headers = { cookie: `consilium_caller=${caller}` };
  let runId: string | null = null;
  for (;;) {
    signal.throwIfAborted();
    try {
      if (runId === null) {
        const response = await fetch(`${anyApi()}/chat/stream`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify({ message }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
        });
        if (response.status === 200) runId = response.headers.get('x-run-id');
        else if (response.status < 500)
          throw new Refused(`a chat was answered ${response.status}: ${await response.text()}`);
        await response.body?.cancel();
      } else {
        const response = await fetch(`${anyApi()}/api/service/v1/executions/${runId}`, { headers });
        const { data } = (await response.json()) as { data?: { status: string } };
        if (data && !['queued', 'running'].includes(data.status)) return data.status;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** An answer that no fault of the surroundings excuses. */
class Refused extends Error {
  override readonly name = 'Refused';
}
