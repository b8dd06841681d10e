import { bare, consilium, nchan } from '../lib/contenders.mjs';
import { age } from '../lib/deliver.mjs';
import { startHelper } from '../lib/helper.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Fan-out, steady';
export const about = `200 events a second, one at a time, to 100 followers. An event's text has the time in it, of the machine's monotonic clock, taken before
it is handed to whatever appends or publishes it; its age is taken when a follower's bytes are read. So the age includes the way through
the log, and that a hundred followers are read one after the other by one process. For all three the events come from a process of their
own: through the product's log; over a TCP connection to **bare**; by HTTP POST to **Nchan**.`;

export async function run({ redis, withNchan, reps, size, brief }) {
  const table = new Table();
  const rate = Math.round(200 * size);
  const what = `${rate.toLocaleString('en')} events/s to 100 followers`;
  const followers = await startHelper('followers');
  const contenders = {
    consilium: await consilium(redis),
    bare: await bare(),
    ...(withNchan && { 'Nchan+Redis': await nchan(redis) }),
  };
  // The first round is not counted.
  for (let rep = -1; rep < reps; rep++)
    for (const [by, contender] of Object.entries(contenders)) {
      const { p50, p99 } = await age(contender, followers, {
        count: 100,
        rate,
        seconds: brief ? 1 : 4,
      });
      if (rep < 0) continue;
      table.add(`${what}, p50`, by, 'ms', p50);
      table.add(`${what}, p99`, by, 'ms', p99);
    }
  table.ratio(`${what}, p50`, 'consilium', 'Nchan+Redis', '<=', 1.2);
  table.ratio(`${what}, p99`, 'consilium', 'Nchan+Redis', '<=', 1.2);
  table.ratio(`${what}, p50`, 'consilium', 'bare', '<=', 1.5);
  await Promise.all([...Object.values(contenders), followers].map((process) => process.stop()));
  return table;
}
