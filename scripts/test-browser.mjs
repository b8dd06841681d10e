// `npm run test:browser`: the tests that need a browser. With `-- --if-there` they are skipped with
// a message if there is none. Other arguments go to Jest.
import { join } from 'node:path';
import { runChild } from './lib/child.mjs';
import { findChromium, MISSING } from './lib/chromium.mjs';

const root = join(import.meta.dirname, '..');
const IF_THERE = '--if-there';

const path = findChromium();
const args = process.argv.slice(2);

if (path !== undefined) {
  const jest = [
    'test',
    '--config',
    'jest.browser.config.js',
    ...args.filter((arg) => arg !== IF_THERE),
  ];
  process.exitCode = await runChild([process.execPath, join(root, 'scripts/run.mjs'), ...jest], {
    cwd: root,
    env: { ...process.env, CHROMIUM_PATH: path },
    stdio: 'inherit',
  });
} else {
  const optional = args.includes(IF_THERE);
  console.error(`Browser tests ${optional ? 'skipped' : 'cannot run'}: ${MISSING}`);
  process.exitCode = optional ? 0 : 1;
}
