// `npm run test:demo -- [--times 10] [--fault NAME]`: runs the demo with each fault, and checks
// that it names the right node and kind of failure.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { FAULTS } from '../examples/playground/faults.mjs';
import { findPrograms } from '../examples/playground/full/find-programs.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { readOptions } from './lib/options.mjs';

const root = join(import.meta.dirname, '..');
const { values } = readOptions('npm run test:demo -- [--times 10] [--fault NAME]', {
  times: { type: 'string', default: '10' },
  fault: { type: 'string' },
});
const faults = values.fault === undefined ? Object.keys(FAULTS) : [values.fault];
if (!faults.every((fault) => Object.hasOwn(FAULTS, fault))) {
  console.error(
    `There is no fault "${values.fault}". There are: ${Object.keys(FAULTS).join(', ')}.`,
  );
  process.exit(2);
}
if (!(await ensureBuilt(root))) process.exit(1);

/** What the demo has concluded: `NAME, KIND`, or `healthy`. */
function conclusionIn(output) {
  const [, name, kind] =
    /\nRoot cause\n {2}✗ ([^:]+): [^\n]*? {2}([a-z-]+), \d+ % sure\n/.exec(output) ?? [];
  if (name !== undefined) return `${name}, ${kind}`;
  return output.includes('✓ Healthy\n') ? 'healthy' : 'nothing';
}

const programs = findPrograms();

for (const fault of faults) {
  const { name, kind, needs = [] } = FAULTS[fault];
  const absent = needs.filter((part) => programs[part].missing !== undefined);
  if (absent.length > 0) {
    console.log(`${fault}: left out, since ${absent.join(' and ')} cannot be started here`);
    continue;
  }
  const expected = name === undefined ? 'healthy' : `${name}, ${kind}`;
  const wrong = [];
  for (let run = 1; run <= Number(values.times); run += 1) {
    const args = [join(root, 'dist/cli/demo.js'), '--fault', fault];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const found = conclusionIn(stdout);
    if (status !== 0 || found !== expected)
      wrong.push(`run ${run} ended with ${status} and found ${found}\n${stdout}${stderr}`);
  }
  const right = Number(values.times) - wrong.length;
  console.log(`${fault}: ${right} of ${values.times} found ${expected}`);
  if (wrong.length > 0) {
    console.error(wrong.join('\n'));
    process.exitCode = 1;
  }
}
