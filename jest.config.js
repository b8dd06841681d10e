import { swcOptions } from './scripts/swc-options.mjs';

const shared = {
  rootDir: import.meta.dirname,
  // Not in the folder for temporary files: each run has its own.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcOptions, swcrc: false }] },
  testEnvironment: '<rootDir>/test/setup/test-environment.mjs',
};
const withRedis = {
  ...shared,
  globalSetup: '<rootDir>/test/setup/global-setup.mjs',
  globalTeardown: '<rootDir>/test/setup/global-teardown.mjs',
  testEnvironment: '<rootDir>/test/setup/service-environment.mjs',
};

/**
 * Three projects: `npm test -- --selectProjects unit`. The tests in a browser have a configuration
 * of their own.
 */
export default {
  projects: [
    {
      ...withRedis,
      displayName: 'service',
      testMatch: [
        '<rootDir>/src/**/*.redis.test.ts',
        '<rootDir>/test/{attacks,e2e,formats,integration,models}/**/*.test.ts',
        '<rootDir>/examples/**/*.test.ts',
      ],
    },
    { ...withRedis, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
    {
      ...shared,
      displayName: 'unit',
      globalSetup: '<rootDir>/test/setup/unit-setup.mjs',
      testMatch: ['<rootDir>/src/**/*.test.ts', '<rootDir>/test/console/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.redis\\.test\\.ts$'],
    },
  ],
  testSequencer: '<rootDir>/test/setup/sequencer.mjs',
  reporters: ['default', '<rootDir>/test/setup/closing-line.mjs'],
  // More than there are cores: many tests wait for a time-out, a lease or a process. Six are no
  // faster on two cores.
  maxWorkers: 4,
  // A worker keeps the modules of every file that it has run.
  workerIdleMemoryLimit: '1GB',
  // A worker process that is still there by then has left something open. On a busy machine 500 ms,
  // the default, also finds others.
  workerGracefulExitTimeout: 10_000,
  // A limit for what never happens. A test does not measure time: the machine may be busy with
  // other things.
  testTimeout: 600_000,
};
