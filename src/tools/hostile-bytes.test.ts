import { expect, test } from '@jest/globals';
import { FUZZ_RUNS, MOST_GROWTH, MOST_STALL_MS } from '../../test/fuzz/targets.js';

// `npm run fuzz` does the same for longer.
test.each(FUZZ_RUNS.map((fuzz) => [fuzz.name, fuzz] as const))(
  'survives hostile bytes: %s',
  async (_, fuzz) => {
    const { stallMs, growth } = await fuzz.run({ ms: 5_000, runs: 40, seed: 1 });
    expect(stallMs).toBeLessThan(MOST_STALL_MS);
    expect(growth).toBeLessThan(MOST_GROWTH);
  },
);
