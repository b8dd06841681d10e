import { startHelper } from '../lib/helper.mjs';
import { product, TRIGGER } from '../lib/runners.mjs';
import { median, percentile } from '../lib/stats.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'First event';
export const about = `From the start of a new connection, a POST to \`/executions/trigger\`, to the first byte of \`lifecycle.started\`: one at a time, nothing
else going on (each run is left to end before the next begins), and while 50 other runs are kept going, which begin anew whenever they
end: the service is then busy all the time. An empty POST to the same path is answered with 400. 20 and more of each a round.`;

export async function run({ redis, reps, size, brief }) {
  const table = new Table();
  const [callers, others] = await Promise.all([startHelper('callers'), startHelper('callers')]);
  const { process, target } = await product(redis, callers);
  const going = Math.max(2, Math.round(50 * size));
  const count = brief ? 4 : 20;
  const [idle, busy] = ['idle', `${going} runs going`];
  const trigger = { ...target, ...TRIGGER, count, atOnce: 1 };
  // Only the first event is measured: nothing waits for the end of the run.
  const glance = { ...target, body: TRIGGER.body, cut: true, count, atOnce: 1 };
  const empty = { ...target, body: '', awaited: 'VALIDATION_FAILED', count, atOnce: 1 };
  await callers.call('many', trigger);
  await callers.call('many', empty);
  const measure = async (when, post) => {
    const plain = (await callers.call('many', empty)).first;
    const first = (await callers.call('many', post)).first;
    table.add(`${when}, median`, 'empty POST', 'ms', median(plain));
    table.add(`${when}, median`, 'consilium', 'ms', median(first));
    table.add(`${when}, p99`, 'consilium', 'ms', percentile(first, 0.99));
  };
  for (let rep = 0; rep < reps; rep++) {
    await measure(idle, trigger);
    await others.call('keepGoing', { ...target, ...TRIGGER, atOnce: going });
    await measure(busy, glance);
    await others.call('rest');
  }
  const more =
    table.median(`${idle}, median`, 'consilium') - table.median(`${idle}, median`, 'empty POST');
  table.target('idle, median: consilium - empty POST', more, '<=', 5, 'ms');
  await Promise.all([process, callers, others].map((helper) => helper.stop()));
  return table;
}
