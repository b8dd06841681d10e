const [FIRST_MS, LONGEST_MS] = [100, 3_000];

/** Returns the ms to wait before the next connection. Doubles each time, with jitter so that clients do not reconnect together. */
export function backoffMs(attempt: number, random: number): number {
  const most = Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
  return most * (0.5 + random / 2);
}

/** Waits for a number of ms. @throws the reason of the signal if it is aborted */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}
