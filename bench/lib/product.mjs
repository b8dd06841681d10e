// The parts of the product that the benchmark uses, imported by path from dist/, because they may
// have to be built first.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = join(import.meta.dirname, '../..');
export const WORK = join(import.meta.dirname, '../.work');

export const fromDist = (path) => import(pathToFileURL(join(ROOT, 'dist', path)).href);

/**
 * A log without the usual size limit: the benchmark writes more into one run than a run may
 * contain.
 */
export const ENVIRONMENT = {
  PORT: '0',
  LOG_LEVEL: 'error',
  LOG_MAX_EVENTS: '10000000',
  LOG_MAX_BYTES: '4294967296',
  TOPOLOGIES_DIR: join(import.meta.dirname, '../processes'), // There are none.
};
