import { checkSetup, type Setup } from '../check-setup.js';
import { unlessAborted } from '../local/interrupt.js';
import { startPrivateRedis } from '../local/private-redis.js';
import { startService } from '../service.js';

export interface LocalService {
  url: string;
  /** Undefined where no console is served. */
  consoleUrl: string | undefined;
  close: () => Promise<void>;
}

/** The environment of a service for one command: loopback, and no topologies. */
const environment = (variables: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ROLE: 'all',
  HOST: '127.0.0.1',
  AUTH: 'none',
  PORT: '0',
  // A folder without topologies: this one. An empty folder in /tmp would remain after SIGKILL.
  TOPOLOGIES_DIR: import.meta.dirname,
  ...variables,
});

/**
 * Checks the environment of {@link startLocalService} before anything is started.
 * @returns a function that checks a topology
 * @throws ConsiliumError VALIDATION_FAILED with every fault
 */
export function checkLocalService(variables: Record<string, string>): Setup {
  return checkSetup(environment({ REDIS_URL: '', ...variables }));
}

/**
 * The whole service in this process, for one command: on a free port of loopback, with a private
 * Redis that persists nothing, and only with the given topologies.
 */
export async function startLocalService({
  logLevel,
  say,
  variables = {},
  interrupt,
}: {
  logLevel: string;
  say: (line: string) => void;
  /** Ends the start immediately; what was started ends with this process. */
  interrupt: AbortSignal;
  /** Further variables of the service's environment. */
  variables?: Record<string, string>;
}): Promise<LocalService> {
  checkLocalService(variables);
  const redis = await unlessAborted(startPrivateRedis({ say, secured: true }), interrupt);
  try {
    const service = await unlessAborted(
      startService(environment({ REDIS_URL: redis.url, LOG_LEVEL: logLevel, ...variables }), {
        say,
      }),
      interrupt,
    );
    const close = async (): Promise<void> => {
      await service.close();
      await redis.stop();
    };
    return { url: service.url, consoleUrl: service.consoleUrl, close };
  } catch (error) {
    await redis.stop();
    throw error;
  }
}
