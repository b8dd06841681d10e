import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runChaos } from './lib/run-chaos.js';

/** Different in every test run, unless CHAOS_SEED repeats an earlier run. */
const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 2 ** 31);
const SECONDS = 30;

test(`every guarantee holds for many runs under random faults for ${SECONDS} s (seed ${seed})`, async () => {
  const lines: string[] = [];
  const { problems, runs, messages, refused, parked, faults, said } = await runChaos({
    seed,
    seconds: SECONDS,
    say: (line) => lines.push(line),
  });
  if (problems.length > 0) {
    const file = join(tmpdir(), `chaos-${seed}.log`);
    await writeFile(file, said);
    const again = `node --import ./scripts/ts.mjs --import ./test/setup/with-build.mjs test/faults/chaos.ts --minutes ${SECONDS / 60} --seed ${seed}`;
    throw new Error(
      `${problems.join('\n')}\n${lines.join(', ')}\nagain: FAULTS_LOG=error ${again}\noutput of the processes: ${file}`,
    );
  }
  expect(runs).toBeGreaterThan(10);
  for (const count of [messages, refused, parked]) expect(count).toBeGreaterThan(0);
  expect(Object.values(faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(4);
}, 400_000);
