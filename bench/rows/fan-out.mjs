import { bare, bareBehindLog, betterSse, consilium, nchan } from '../lib/contenders.mjs';
import { startHelper } from '../lib/helper.mjs';
import { deliver, verifyDelivery } from '../lib/deliver.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Fan-out, flat out';
export const about = `Followers of one run, in a process of their own: raw sockets that count bytes. Deliveries a second: events times followers,
from the first append to the last byte at the last follower.

- **consilium**: a service with \`ROLE=api\`; a third process appends through the product's log as fast as it goes, 64 events a step, eight
  steps on their way. The appending process does not wait for the followers: those that fall behind catch up from the log. Each follower's bytes are compared with
  the log's. Before that, another round parses every frame and checks its sequence.
- **bare**: a Node server that makes its own events and writes the same Buffer to every socket, a turn of the event loop each, with as many
  events in the Buffer as consilium had on average in its writes of the same round (counted by the kernel). No Redis, no third process.
- **bare behind the log**: that server, subscribed to what the product's log publishes: the same appends by the same process, without
  history, cursors, limits and catching up. The difference between it and bare is the processor time of Redis and of the appending process.
- **Nchan+Redis**: nginx, one worker process as the product has one (two gave the same result within the noise),
  messages published over 32 keep-alive connections.
- **better-sse**: a channel; one \`broadcast\` an event, from within the server, with the text ready made.`;

const SIZES = [
  { followers: 100, ours: 40_000, theirs: 4_000 },
  { followers: 1_000, ours: 8_000, theirs: 500 },
];

export async function run({ redis, withNchan, reps, size, brief }) {
  const table = new Table();
  const followers = await startHelper('followers');
  const ours = await consilium(redis);
  const naked = await bare();
  const behind = await bareBehindLog(redis);
  const store = withNchan ? await nchan(redis) : undefined;
  const sse = await betterSse();
  for (const sizes of SIZES) {
    const count = Math.round(sizes.followers * size);
    const share = (brief ? 0.02 : 1) / Math.max(1, size);
    const events = { ours: Math.ceil(sizes.ours * share), theirs: Math.ceil(sizes.theirs * share) };
    const what = `${count.toLocaleString('en')} followers`;
    const record = (by, { perSecond }) => table.add(what, by, 'deliveries/s', perSecond);

    table.note(
      `${what}: ${await verifyDelivery(ours, followers, { count, events: Math.ceil(events.ours / 4) })}`,
    );
    for (let rep = 0; rep < reps; rep++) {
      const before = ours.writes();
      const delivered = await deliver(ours, followers, { count, events: events.ours });
      const batch = Math.max(1, Math.round((events.ours * count) / (ours.writes() - before)));
      record('consilium', delivered);
      table.add(`${what}: events in a write`, 'consilium', 'events', batch);
      record('bare', await deliver(naked, followers, { count, events: events.ours, batch }));
      record(
        'bare behind the log',
        await deliver(behind, followers, { count, events: events.ours }),
      );
      if (store)
        record('Nchan+Redis', await deliver(store, followers, { count, events: events.theirs }));
      record('better-sse', await deliver(sse, followers, { count, events: events.theirs }));
    }
    table.ratio(what, 'consilium', 'bare', '>=', 0.6);
    if (sizes.followers !== 100) continue;
    table.ratio(what, 'consilium', 'Nchan+Redis', '>=', 15);
    table.ratio(what, 'consilium', 'better-sse', '>=', 8);
  }
  await Promise.all([ours, naked, behind, store, sse, followers].map((process) => process?.stop()));
  return table;
}
