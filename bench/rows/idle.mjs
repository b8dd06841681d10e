import { setTimeout as sleep } from 'node:timers/promises';
import { bare, consilium, nchan } from '../lib/contenders.mjs';
import { startHelper } from '../lib/helper.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Idle';
export const about = `10,000 followers of 100 runs in which nothing happens. What the server process has more in memory (resident) than before they came, for each
of them: right after they came, and when they have been there for 75 s and more, heartbeats have gone out, and V8 may have collected what their coming left
behind (it is not asked to). A server of its own for each round and contender, all at the same time, each with its own 10,000 followers. Of Nchan the worker process
is counted. What the kernel holds for a socket is in none of the numbers.`;

const RUNS = 100;
/**
 * The machine allows a process 20,000 open files, and a client address about 28,000 ports to one
 * server.
 */
const MOST = 15_000;

export async function run({ redis, withNchan, reps, size, brief }) {
  const table = new Table();
  const count = Math.round((brief ? 500 : 10_000) * size);
  const what = `${count.toLocaleString('en')} followers`;
  const fresh = `${what}, right after they came`;
  const idle = `${what}, ${brief ? 2 : 75} s later`;
  if (count > MOST) {
    table.note(`${what}: not measured, a process may have 20,000 open files on this machine.`);
    return table;
  }
  const makers = {
    consilium: () => consilium(redis),
    bare: () => bare(),
    ...(withNchan && { 'Nchan+Redis': () => nchan(redis) }),
  };
  const crowds = [];
  for (let rep = 0; rep < reps; rep++)
    for (const [by, make] of Object.entries(makers)) {
      const crowd = await gather(await make(), count);
      crowds.push({ by, ...crowd });
      table.add(fresh, by, 'kB each', crowd.held());
    }
  await sleep(brief ? 2_000 : 75_000);
  for (const { by, held, leave } of crowds) {
    table.add(idle, by, 'kB each', held());
    await leave();
  }
  table.target(`${idle}: consilium`, table.median(idle, 'consilium'), '<=', 16, 'kB');
  return table;
}

/** Connects followers to a server. `held`: kB of memory per follower. */
async function gather(contender, count) {
  const followers = await startHelper('followers');
  const paths = await contender.begin(RUNS);
  const connect = (some) =>
    followers.call('connect', { url: contender.url, paths: some, mode: contender.mode });
  // The first followers are a warm-up: loading and compiling is not the cost of a follower.
  await connect(paths.slice(0, 10));
  await sleep(1_000);
  const before = contender.rss();
  await connect(Array.from({ length: count }, (_, i) => paths[i % paths.length]));
  await sleep(1_000);
  return {
    held: () => (contender.rss() - before) / count,
    async leave() {
      const open = await followers.call('open');
      if (open < count) throw new Error(`only ${open} of ${count} followers are still there`);
      await followers.stop();
      await contender.clean();
      await contender.stop();
    },
  };
}
