// `npm run test:faults -- --minutes N [--seed S]`: the fault tests with outages as long as real
// ones, then random faults for N minutes (5). With a seed, only the random faults run, in the same
// order as before.
import { join } from 'node:path';
import { runChild } from './lib/child.mjs';
import { readOptions } from './lib/options.mjs';

const root = join(import.meta.dirname, '..');
const { values } = readOptions('npm run test:faults -- [--minutes N] [--seed S]', {
  minutes: { type: 'string', default: '5' },
  seed: { type: 'string' },
});
const run = (args, env = {}) =>
  runChild([process.execPath, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });

const LASTING = 'test/faults/(cancel|kill-worker|network|redis-failures)\\.test';
const tested =
  values.seed === undefined
    ? await run([join(root, 'scripts/run.mjs'), 'test', LASTING], { FAULTS: 'long' })
    : 0;
const args = [
  '--minutes',
  values.minutes,
  ...(values.seed === undefined ? [] : ['--seed', values.seed]),
];
const fought = await run([
  '--import',
  './scripts/ts.mjs',
  '--import',
  './test/setup/with-build.mjs',
  join(root, 'test/faults/chaos.ts'),
  ...args,
]);
process.exitCode = tested || fought;
