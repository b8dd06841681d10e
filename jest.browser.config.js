import everywhere from './jest.config.js';

/** `npm run test:browser`: what wants a Chromium. */
export default { ...everywhere, roots: ['<rootDir>/test/browser'], testPathIgnorePatterns: [] };
