import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TestEnvironment } from 'jest-environment-node';

/** Gives test files the built service. A Jest worker loads it once; what a test file imports is loaded for that file alone. */
export default class ServiceEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    const parts = join(process.env.TEST_BUILD, 'test/setup/parts.mjs');
    this.global.partsOfService = await import(pathToFileURL(parts).href);
  }
}
