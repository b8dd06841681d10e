import { setTimeout as sleep } from 'node:timers/promises';
import { bare, consilium, nchan } from '../lib/contenders.mjs';
import { startHelper } from '../lib/helper.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Idle';
export const about = `10,000 followers of 100 runs in which nothing happens. What the server process has more in memory (resident) than before they came, for each
of them, 3 s after the last one came. A new server for each round. Of Nchan the worker process is counted. What the kernel holds for a
socket is in none of the numbers.`;

export async function run({ redis, withNchan, reps, size, brief }) {
  const table = new Table();
  const followers = await startHelper('followers');
  const count = Math.round((brief ? 500 : 10_000) * size);
  const what = `${count.toLocaleString('en')} followers`;
  if (count > 15_000) return unmeasured(table, what, 'the machine allows a process 20,000 open files', followers);
  const makers = { consilium: () => consilium(redis), bare: () => bare(), ...(withNchan && { 'Nchan+Redis': () => nchan(redis) }) };
  for (let rep = 0; rep < reps; rep++)
    for (const [by, make] of Object.entries(makers)) {
      const contender = await make();
      const paths = await contender.begin(100);
      const connect = (some) => followers.call('connect', { url: contender.url, paths: some, mode: contender.mode });
      // Whatever is loaded or compiled at a first follower is not what a follower costs.
      await connect(paths.slice(0, 10));
      await sleep(1_000);
      const before = contender.rss();
      await connect(Array.from({ length: count }, (_, i) => paths[i % paths.length]));
      await sleep(3_000);
      table.add(what, by, 'kB each', (contender.rss() - before) / count);
      const open = await followers.call('open');
      if (open < count) throw new Error(`${by}: only ${open} of ${count} followers are still there`);
      await followers.call('close');
      await contender.clean();
      await contender.stop();
    }
  table.target(`${what}: consilium`, table.median(what, 'consilium'), '<=', 16, 'kB');
  await followers.stop();
  return table;
}

async function unmeasured(table, what, why, followers) {
  table.note(`${what}: not measured, ${why}.`);
  await followers.stop();
  return table;
}
