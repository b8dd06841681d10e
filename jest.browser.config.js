import everywhere from './jest.config.js';

const { projects, ...settings } = everywhere;
const service = projects.find(({ displayName }) => displayName === 'service');

/** `npm run test:browser`: the tests that need a Chromium. */
export default {
  ...settings,
  projects: [
    {
      ...service,
      displayName: 'browser',
      globalSetup: '<rootDir>/test/setup/browser-setup.mjs',
      testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
    },
  ],
};
