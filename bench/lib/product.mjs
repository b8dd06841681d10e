// The product as the bench uses it: what was built into dist/, by path, since it may have to be built first.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = join(import.meta.dirname, '../..');
export const WORK = join(import.meta.dirname, '../.work');

export const fromDist = (path) => import(pathToFileURL(join(ROOT, 'dist', path)).href);

/** A log of its own size: the bench writes more into one run than a run may. */
export const ENVIRONMENT = {
  PORT: '0',
  LOG_LEVEL: 'error',
  LOG_MAX_EVENTS: '10000000',
  LOG_MAX_BYTES: '4294967296',
  TOPOLOGIES_DIR: join(import.meta.dirname, '../processes'), // There are none.
};
