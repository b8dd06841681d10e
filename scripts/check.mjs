// `npm run check`: runs every script of package.json whose name begins with `check:`, two at a
// time. Prints one line for each, and the output of those that failed. `node scripts/check.mjs lint
// format` runs only these.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const PREFIX = 'check:';
/** The slowest step starts first, so that both cores are busy until the end. */
const SLOWEST = 'lint';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const all = Object.keys(scripts).flatMap((name) =>
  name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [],
);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((step) => !all.includes(step));
if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(2);
}

const waiting = (wanted.length > 0 ? wanted : all).sort(
  (a, b) => Number(b === SLOWEST) - Number(a === SLOWEST),
);
const failed = [];
const started = Date.now();
await Promise.all(Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, lane));
for (const { step, output } of failed)
  console.log(`\n── ${step}: ${scripts[PREFIX + step]}\n\n${output.trim()}`);
console.log(
  `\n${failed.length === 0 ? 'All checks passed' : `Failed: ${failed.map(({ step }) => step).join(', ')}`} (${seconds(started)}).`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function lane() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const begun = Date.now();
    const { code, output } = await run(scripts[PREFIX + step]);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${step.padEnd(10)} ${seconds(begun)}`);
    if (code !== 0) failed.push({ step, output });
  }
}

/** Runs a script as npm would, without the second that npm takes to start. */
function run(command) {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH,
    };
    const child = spawn(command, {
      cwd: root,
      env,
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => (output += bytes));
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
