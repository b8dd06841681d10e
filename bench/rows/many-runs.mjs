import { consilium, nchan } from '../lib/contenders.mjs';
import { age, deliver, verifyDelivery } from '../lib/deliver.mjs';
import { startHelper } from '../lib/helper.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Many runs';
export const about = `Events to many runs in turn, flat out as in the row above but four events a step (about what a step of an agent holds), and at 5,000 a second
over all runs together, one at a time. Nchan gets one POST an event. Ages are taken as in the row above.`;

const LAYOUTS = [
  { runs: 100, followers: 1_000, ours: 800, theirs: 40, deliveries: 8 },
  { runs: 1_000, followers: 1_000, ours: 100, theirs: 10, deliveries: 4 },
];

export async function run({ redis, withNchan, reps, size, brief }) {
  const table = new Table();
  const followers = await startHelper('followers');
  const ours = await consilium(redis, { flood: { batch: 4, window: 64 } });
  const store = withNchan ? await nchan(redis) : undefined;
  for (const layout of LAYOUTS) {
    const runs = Math.round(layout.runs * size);
    const count = Math.round(layout.followers * size);
    const share = (brief ? 0.1 : 1) / Math.max(1, size);
    const events = {
      ours: Math.ceil(layout.ours * share),
      theirs: Math.ceil(layout.theirs * share),
    };
    const each = count / runs;
    const what = `${runs.toLocaleString('en')} runs, ${each === 1 ? 'one follower' : `${each} followers`} each`;
    const rate = brief ? 1_000 : 5_000;
    const steady = `${what}, ${rate.toLocaleString('en')} events/s`;

    table.note(
      `${what}: ${await verifyDelivery(ours, followers, { count, runs, events: Math.ceil(events.ours / 4) })}`,
    );
    for (let rep = 0; rep < reps; rep++)
      for (const [by, contender, own] of [
        ['consilium', ours, events.ours],
        ['Nchan+Redis', store, events.theirs],
      ]) {
        if (!contender) continue;
        table.add(
          `${what}, flat out`,
          by,
          'deliveries/s',
          (await deliver(contender, followers, { count, runs, events: own })).perSecond,
        );
        const { p50, p99 } = await age(contender, followers, {
          count,
          runs,
          rate,
          seconds: brief ? 1 : 4,
        });
        table.add(`${steady}, p50`, by, 'ms', p50);
        table.add(`${steady}, p99`, by, 'ms', p99);
      }
    table.ratio(`${what}, flat out`, 'consilium', 'Nchan+Redis', '>=', layout.deliveries);
    table.target(
      `${steady}, p99: consilium`,
      table.median(`${steady}, p99`, 'consilium'),
      '<=',
      50,
      'ms',
    );
  }
  await Promise.all([ours, store, followers].map((process) => process?.stop()));
  return table;
}
