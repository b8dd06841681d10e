import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startHelper } from '../lib/helper.mjs';
import { FRAME_BYTES, PLAIN_KEY } from '../lib/settings.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Append';
export const about = `Events a second through the append script, by one process on one connection to one run without followers, counted when their append was
answered. One at a time: the next append when the one before was answered. Batches of 16: the same, 16 events a step. Pipelined: 256
appends of one event on their way; pipelined batches: 16 appends of 16. The reference is \`redis-benchmark -c 1\`, \`XADD key * f\` with as
many bytes as one of our entries has, one at a time (\`-P 1\`) and 16 at a time (\`-P 16\`).`;

const VARIANTS = [
  { what: 'one at a time', batch: 1, window: 1, events: 10_000 },
  { what: 'pipelined', batch: 1, window: 256, events: 60_000 },
  { what: 'batches of 16', batch: 16, window: 1, events: 80_000 },
  { what: 'batches of 16, pipelined', batch: 16, window: 16, events: 160_000 },
];

const PLAIN = [
  { what: 'one at a time', pipeline: 1, events: 20_000 },
  { what: '16 at a time', pipeline: 16, events: 200_000 },
];

export async function run({ redis, reps, size, brief }) {
  const table = new Table();
  const share = brief ? 0.02 : size;
  const appender = await startHelper('appender');
  await appender.call('open', { url: redis.url, frameBytes: FRAME_BYTES });
  // The first round is a warm-up and is not counted.
  for (let rep = -1; rep < reps; rep++) {
    const record = (...measured) => rep >= 0 && table.add(...measured);
    for (const { what, batch, window, events } of VARIANTS) {
      const ids = await appender.call('create', { count: 1 });
      const count = Math.ceil(events * share);
      const { start, end } = await appender.call('flood', { ids, events: count, batch, window });
      record(what, 'consilium', 'events/s', count / ((end - start) / 1_000));
      await appender.call('clean');
    }
    for (const { what, pipeline, events } of PLAIN) {
      record(
        what,
        'redis-benchmark XADD',
        'events/s',
        await benchmark(redis.port, pipeline, Math.ceil(events * share)),
      );
      await appender.call('clean');
    }
  }
  const plain = (what) => table.median(what, 'redis-benchmark XADD');
  const compare = (what, other, wanted) =>
    table.target(
      `${what}: consilium / redis-benchmark XADD, ${other}`,
      table.median(what, 'consilium') / plain(other),
      '>=',
      wanted,
    );
  compare('one at a time', 'one at a time', 0.5);
  compare('batches of 16', '16 at a time', 0.8);
  compare('batches of 16, pipelined', '16 at a time', 0.8);
  await appender.stop();
  return table;
}

async function benchmark(port, pipeline, events) {
  const command = ['XADD', PLAIN_KEY, '*', 'f', 'x'.repeat(FRAME_BYTES)];
  const args = ['-p', port, '-c', 1, '-P', pipeline, '-n', events, '--csv', ...command];
  const { stdout } = await promisify(execFile)('redis-benchmark', args.map(String));
  return Number(stdout.trim().split('\n').at(-1).split('","')[1].replaceAll('"', ''));
}
