import { swcOptions } from './scripts/swc-options.mjs';

/** One configuration for unit tests (beside their source) and for the tests under test/. */
export default {
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/examples'],
  testMatch: ['**/*.test.ts'],
  // They want a Chromium: `npm run test:browser`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/browser/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcOptions, swcrc: false }] },
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/setup/start-redis.mjs',
  globalTeardown: '<rootDir>/test/setup/stop-redis.mjs',
  reporters: ['default', '<rootDir>/test/setup/closing-line.mjs'],
  maxWorkers: 2,
  // A worker process that is still there by then has left something open. On a busy machine 500 ms, the default, also finds others.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 120_000,
};
