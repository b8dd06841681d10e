/**
 * `npm run scale -- [--only large|chain|mixed] [--minutes N]`: twelve runs of 500 nodes at once, a
 * chain of 1,000 dead nodes, and mixed load on three API and six worker processes for N minutes
 * (5). Exits with 1 if anything was lost or took too long.
 */
import { parseArgs } from 'node:util';
import { deadChain, largeRuns } from './large-runs.js';
import { mixedLoad } from './mixed-load.js';

const { values } = parseArgs({
  options: { only: { type: 'string' }, minutes: { type: 'string', default: '5' } },
});
const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
const PARTS = {
  large: largeRuns,
  chain: deadChain,
  mixed: (line: typeof say) => mixedLoad(Number(values.minutes), line),
};

let failed = false;
for (const [name, part] of Object.entries(PARTS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const problems = await part(say);
  for (const problem of problems.slice(0, 20)) console.log(`PROBLEM: ${name}: ${problem}`);
  failed ||= problems.length > 0;
}
console.log(failed ? 'failed' : 'all is well');
process.exitCode = failed ? 1 : 0;
