import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import setUpService from './global-setup.mjs';

/**
 * Builds the console once, before the workers start: two builds in one folder would remove each
 * other's files.
 */
export default async function setUp() {
  const script = join(import.meta.dirname, '../../scripts/build-console.mjs');
  await promisify(execFile)(process.execPath, [script]);
  await setUpService();
}
