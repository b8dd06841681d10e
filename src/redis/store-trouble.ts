/** What ioredis and Redis say when the store is away, full or busy: not a fault of the request, nor of ours. */
const SAID =
  /^(OOM|EXECABORT|LOADING|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY)\b|Command timed out|Connection is (already )?closed|Stream isn't writeable|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|max retries/i;

/** Whether an error will go away by itself when the store is well again: then the same may be tried again. */
export const isStoreTrouble = (error: unknown): boolean =>
  error instanceof Error && SAID.test(error.message);
