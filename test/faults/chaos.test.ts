import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runNemesis } from './run-chaos.js';

/** Another one for every run of the tests, or the one that is to be looked at again. */
const seed = Number(process.env['NEMESIS_SEED'] ?? Date.now() % 2 ** 31);
const SECONDS = 30;

test(`many runs under all faults for ${SECONDS} s, seed ${seed}: every promise is kept`, async () => {
  const lines: string[] = [];
  const { problems, runs, faults, said } = await runNemesis({
    seed,
    seconds: SECONDS,
    say: (line) => lines.push(line),
  });
  if (problems.length > 0) {
    const file = join(tmpdir(), `nemesis-${seed}.log`);
    await writeFile(file, said);
    const again = `node --import ./scripts/ts.mjs test/faults/chaos.ts --minutes ${SECONDS / 60} --seed ${seed}`;
    throw new Error(
      `${problems.join('\n')}\n${lines.join(', ')}\nagain: FAULTS_LOG=error ${again}\nwhat the processes said: ${file}`,
    );
  }
  expect(runs).toBeGreaterThan(10);
  expect(Object.values(faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(4);
}, 400_000);
