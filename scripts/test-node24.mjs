// `npm run test:node24`: the unit tests under the current LTS of Node.js, which the image runs.
// Node comes from the npm registry. Other arguments go to Jest.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './lib/child.mjs';

const VERSION = '24.21.0';
const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/node24');
const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const program = join(cache, `node_modules/${name}/bin/node`);

if (!existsSync(program)) {
  const npm = process.env.npm_execpath;
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', cache];
  const code = await runChild(
    [
      ...(npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']),
      ...install,
      `${name}@${VERSION}`,
    ],
    { stdio: 'inherit' },
  );
  if (code !== 0) process.exit(code);
}
process.exitCode = await runChild(
  [
    program,
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
    ...process.argv.slice(2),
    // Last, because it takes all arguments that follow.
    '--selectProjects',
    'unit',
  ],
  { cwd: root, stdio: 'inherit' },
);
