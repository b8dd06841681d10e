import { startPrivateRedis } from '../local/private-redis.js';
import { startService } from '../service.js';

export interface LocalService {
  url: string;
  /** Undefined where no console is served. */
  consoleUrl: string | undefined;
  close: () => Promise<void>;
}

/**
 * The whole service in this process, for one command: on a free port of loopback, with a private Redis that keeps nothing, and
 * with no topology but those that it is given.
 */
export async function startLocalService({
  logLevel,
  say,
  variables = {},
}: {
  logLevel: string;
  say: (line: string) => void;
  /** Further variables of the service's environment. */
  variables?: Record<string, string>;
}): Promise<LocalService> {
  const redis = await startPrivateRedis({ say });
  try {
    const service = await startService({
      ...process.env,
      ROLE: 'all',
      HOST: '127.0.0.1',
      PORT: '0',
      REDIS_URL: redis.url,
      // A folder without topologies: this one. An empty folder in /tmp would stay behind after SIGKILL.
      TOPOLOGIES_DIR: import.meta.dirname,
      LOG_LEVEL: logLevel,
      ...variables,
    });
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
