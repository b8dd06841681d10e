/**
 * The path that a proxy may have put before the service: '' or `/some/prefix`. Assets lie at
 * `PREFIX/console/assets/`.
 */
export const PREFIX: string = import.meta.env.DEV
  ? ''
  : new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

export const BASE = `${PREFIX}/api/service/v1`;
