import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import FileEnvironment from './test-environment.mjs';

/** Types that the service recognises by `instanceof`. */
const SHARED = { Error, Promise, Date };

/**
 * Gives test files the built service. A Jest worker loads it once; what a test file imports is
 * loaded for that file alone.
 */
export default class ServiceEnvironment extends FileEnvironment {
  async setup() {
    await super.setup();
    // A test file has built-in types of its own: an error of a tool that a test defines must be an
    // error for the service, too.
    for (const [name, { prototype }] of Object.entries(SHARED))
      Object.setPrototypeOf(this.global[name].prototype, prototype);
    const parts = join(process.env.TEST_BUILD, 'test/setup/parts.mjs');
    this.global.partsOfService = await import(pathToFileURL(parts).href);
  }
}
