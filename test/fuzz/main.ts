/** `npm run fuzz -- --minutes N [--seed S] [--only NAME]`: feeds hostile bytes to every parser of the probes for N minutes each (10). */
import { parseArgs } from 'node:util';
import { FUZZ_RUNS, MOST_GROWTH, MOST_STALL_MS } from './targets.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
for (const fuzz of FUZZ_RUNS.filter(({ name }) => name.includes(values.only))) {
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const { runs, stallMs, growth } = await fuzz.run({
    ms: Number(values.minutes) * 60_000,
    runs: Infinity,
    seed,
  });
  const within = stallMs <= MOST_STALL_MS && growth <= MOST_GROWTH;
  if (!within) process.exitCode = 1;
  const megabytes = (growth / 2 ** 20).toFixed(1);
  console.log(
    `${within ? 'ok' : 'FAILED'} ${fuzz.name}: ${runs} inputs from seed ${seed}, longest stall ${stallMs} ms, growth ${megabytes} MiB`,
  );
}
