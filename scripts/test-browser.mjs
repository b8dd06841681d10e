// `npm run test:browser`: the tests that need a browser. With `-- --if-there` they are skipped with a message if there is none. Other
// arguments go to Jest.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runChild } from './lib/child.mjs';

const root = join(import.meta.dirname, '..');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const IF_THERE = '--if-there';

const places = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)));
const path = [process.env.CHROMIUM_PATH || places].flat().find((place) => existsSync(place));
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
  const missing =
    'there is no Chromium. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.';
  const optional = args.includes(IF_THERE);
  console.error(`Browser tests ${optional ? 'skipped' : 'cannot run'}: ${missing}`);
  process.exitCode = optional ? 0 : 1;
}
