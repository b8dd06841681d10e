import { FLOOD, nchan } from '../lib/contenders.mjs';
import { startHelper } from '../lib/helper.mjs';
import { FRAME_BYTES, PREFACE_BYTES } from '../lib/settings.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Replay';
export const about = `A run of 50,000 events that has ended, to one client, from its request to the last byte; nothing of it is in the service's memory. Beside it
the same frames read by XRANGE with ioredis, 500 at a time as the product does, and kept as Buffers: no HTTP, no second process.

2,000 recent events of a run that is still open, to 100 clients that come at once (and one that was there while they were appended), from
the first request to the last byte at the last client. Nchan: 100 clients that come to a channel that holds 2,000 messages.`;

const PAGE = 500;

export async function run({ redis, withNchan, reps, size, brief }) {
  const table = new Table();
  const share = brief ? 0.04 : 1;
  const events = Math.round(50_000 * size * share);
  const recent = Math.round(2_000 * Math.min(1, size) * share);
  const whole = `a finished run of ${events.toLocaleString('en')} events, one client`;
  const latest = `${recent.toLocaleString('en')} recent events, 100 clients at once`;
  const [service, appender, followers] = await Promise.all(
    ['service', 'appender', 'followers'].map((name) => startHelper(name)),
  );
  const url = await service.call('start', { redisUrl: redis.url, env: { ROLE: 'api' } });
  await appender.call('open', { url: redis.url, frameBytes: FRAME_BYTES });
  const path = (id) => `/api/service/v1/executions/${id}/events`;

  const [finished] = await appender.call('create', { count: 1 });
  await appender.call('flood', { ids: [finished], events, ...FLOOD });
  const [bytes] = await appender.call('seal', { ids: [finished] });
  const [open] = await appender.call('create', { count: 1 });
  await followers.call('connect', { url, paths: [path(open)], mode: 'bytes' });
  const [before] = await appender.call('bytes', { ids: [open] });
  await appender.call('flood', { ids: [open], events: recent, ...FLOOD });
  const [after] = await appender.call('bytes', { ids: [open] });
  await followers.call('complete', { targets: { [path(open)]: PREFACE_BYTES + after } });

  const readers = await startHelper('followers');
  const replay = async (id, count, expected, headers = {}) => {
    const { start } = await readers.call('connect', {
      url,
      paths: Array(count).fill(path(id)),
      headers,
      mode: 'bytes',
      wave: count,
    });
    const { last } = await readers.call('complete', {
      targets: { [path(id)]: PREFACE_BYTES + expected },
    });
    await readers.call('close');
    return last - start;
  };
  const store = withNchan ? await nchan(redis) : undefined;
  const [channel] = store ? await store.begin(1) : [];
  await store?.flood(recent - 1);

  // The first round is not counted.
  for (let rep = -1; rep < reps; rep++) {
    const record = (...measured) => rep >= 0 && table.add(...measured);
    record(whole, 'consilium', 'MB/s', bytes / 1e3 / (await replay(finished, 1, bytes)));
    const plain = await appender.call('xrange', { id: finished, page: PAGE });
    record(whole, 'XRANGE by ioredis', 'MB/s', plain.bytes / 1e3 / plain.ms);
    record(
      latest,
      'consilium',
      'deliveries/s',
      (recent * 1e5) / (await replay(open, 100, after - before, { 'Last-Event-ID': '1' })),
    );
    if (!store) continue;
    const { start } = await readers.call('connect', {
      url: store.url,
      paths: Array(100).fill(channel),
      mode: 'marks',
      wave: 100,
    });
    const { last } = await readers.call('complete', { targets: { [channel]: recent } });
    await readers.call('close');
    record(latest, 'Nchan+Redis', 'deliveries/s', (recent * 1e5) / (last - start));
  }
  table.ratio(whole, 'consilium', 'XRANGE by ioredis', '>=', 0.7);
  table.ratio(latest, 'consilium', 'Nchan+Redis', '>=', 5);
  await Promise.all(
    [service, appender, followers, readers, store].map((process) => process?.stop()),
  );
  return table;
}
