/**
 * `npm run test:faults -- --minutes N [--seed S]` ends with this: a longer run of chaos.test.ts.
 * With a seed, only this runs.
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from './lib/run-chaos.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const minutes = Number(values.minutes);
const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
say(`seed ${seed}`);
const { problems, runs, faults, resumed, messages, refused, parked, gauges, said } = await runChaos(
  {
    seed,
    seconds: minutes * 60,
    say,
  },
);
say(
  `${runs} runs, ${resumed} of them resumed; ${messages} chat messages; ${refused} calls refused by the provider; ${parked} waits for the model without a slot; ${JSON.stringify(faults)}`,
);
for (const line of gauges) say(line);
for (const problem of problems) console.log(problem);
console.log(
  problems.length === 0
    ? 'no violation'
    : `${problems.length} violations; again: --minutes ${minutes} --seed ${seed}`,
);
if (problems.length > 0) {
  const file = join(tmpdir(), `chaos-${seed}.log`);
  await writeFile(file, said);
  console.log(`output of the processes: ${file} (FAULTS_LOG=error adds their logs)`);
}
process.exitCode = problems.length === 0 ? 0 : 1;
