/** Placeholder of shape; see README's table. Frozen; read from the environment once by `load-config.ts`. */
export interface Config {
  role: 'api' | 'worker' | 'all';
  host: string;
  port: number;
  /** Undefined: a private Redis is started. */
  redisUrl: string | undefined;
  redisPrefix: string;
  streamFormat: 'executor';
  topologiesDir: string;
  globalSupervisorConcurrency: number;
  teamSupervisorConcurrency: number;
  workerConcurrency: number;
  lockMs: number;
  stallMs: number;
  shutdownGraceSeconds: number;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}
