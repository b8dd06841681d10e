/**
 * `npm run fuzz -- --minutes N [--seed S] [--only NAME]`: feeds hostile bytes to every parser of
 * the probes for N minutes each (10). Exits with 1 if one of them failed.
 */
import { inspect, parseArgs } from 'node:util';
import { FUZZ_RUNS, type FuzzRun, MOST_GROWTH, MOST_STALL_MS } from './targets.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
for (const fuzz of FUZZ_RUNS.filter(({ name }) => name.includes(values.only))) {
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const { ok, text } = await outcomeOf(fuzz, seed);
  if (!ok) process.exitCode = 1;
  console.log(`${ok ? 'ok' : 'FAILED'} ${fuzz.name}: ${text}`);
}

/** Runs one fuzzer. A failure is an outcome, so that the next one runs too. */
async function outcomeOf(fuzz: FuzzRun, seed: number): Promise<{ ok: boolean; text: string }> {
  try {
    const limits = { ms: Number(values.minutes) * 60_000, runs: Infinity, seed };
    const { runs, stallMs, growth } = await fuzz.run(limits);
    const megabytes = (growth / 2 ** 20).toFixed(1);
    return {
      ok: stallMs <= MOST_STALL_MS && growth <= MOST_GROWTH,
      text: `${runs} inputs from seed ${seed}, longest stall ${stallMs} ms, growth ${megabytes} MiB`,
    };
  } catch (error) {
    return { ok: false, text: `from seed ${seed}: ${inspect(error)}` };
  }
}
