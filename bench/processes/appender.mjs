// Writes to the product's log through its RedisLog, in a separate process.
import 'reflect-metadata';
import { now } from '../lib/clock.mjs';
import { payload } from '../lib/event.mjs';
import { serve } from '../lib/helper.mjs';
import { ENVIRONMENT, fromDist } from '../lib/product.mjs';
import { PLAIN_KEY } from '../lib/settings.mjs';
import { atRate } from '../lib/rate.mjs';

const [{ RedisLog }, { loadConfig }, { connect }] = await Promise.all(
  ['event-log/redis-log.js', 'config/load-config.js', 'redis/connect.js'].map(fromDist),
);

const SOURCE = { agent_id: '1', agent_type: 'worker', agent_name: 'W', team_name: 'T' };
const SPEC = {
  kind: 'diagnosis',
  owner: 'anonymous',
  topology: {
    id: 1,
    name: 'bench',
    nodes: [],
    globalSupervisor: { agentId: '1', name: 'W' },
    teams: [],
  },
  topologyVersion: 1,
  userMessage: 'bench',
  limits: { timeoutSeconds: 3_600 },
  onDisconnect: 'continue',
};

let log;
let redis;
/** Run id → last step of its only writer. */
const runs = new Map();

const event = (text) => ({
  name: 'llm.stream',
  source: SOURCE,
  data: { content: text, dispatch_id: null, turn: 1, attempt: 1 },
});

/** Number of text bytes that make a frame of `frameBytes`, for sequences of about five digits. */
let textBytes = 0;

async function step(runId, count) {
  const run = runs.get(runId);
  run.step++;
  run.events += count;
  const events = Array.from({ length: count }, () => event(payload(textBytes)));
  const { kind } = await log.append(runId, {
    writer: 'bench',
    epoch: run.epoch,
    step: run.step,
    events,
  });
  if (kind !== 'ok') throw new Error(`an append was answered "${kind}"`);
}

async function bytesOf(runId) {
  return Number(await redis.hget(log.keys(runId).state, 'bytes'));
}

serve({
  async open({ url, frameBytes }) {
    const config = loadConfig({ ...ENVIRONMENT, REDIS_URL: url });
    redis = connect(url, 60_000);
    log = new RedisLog(redis, config);
    const probe = '00000000-0000-7000-8000-000000000000';
    await log.create(probe, SPEC, [event('')]);
    const { frames } = await log.read(probe, 0, 1);
    textBytes = frameBytes - frames[0].length - 8; // `id` and `sequence` have four digits more each.
  },

  /**
   * Creates runs with one event and one writer. They are in no index, so nothing else writes to
   * them.
   */
  async create({ count }) {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    for (const id of ids) {
      await log.create(id, SPEC, [event(payload(textBytes))]);
      const { epoch } = await log.claim(id, 'bench');
      runs.set(id, { epoch, step: 0, events: 1 });
    }
    return ids;
  },

  /**
   * Appends `events` to each run, round robin, `batch` events a step, with `window` concurrent
   * appends.
   */
  async flood({ ids, events, batch, window }) {
    const start = now();
    let next = 0;
    const steps = Math.ceil(events / batch) * ids.length;
    const lane = async () => {
      while (next < steps) {
        const turn = Math.floor(next / ids.length);
        const id = ids[next++ % ids.length];
        await step(id, Math.min(batch, events - turn * batch));
      }
    };
    await Promise.all(Array.from({ length: window }, lane));
    return { start, end: now(), events: ids.length * events };
  },

  /** Appends one event at a time at a steady rate over all runs together, round robin. */
  async steady({ ids, rate, seconds }) {
    return atRate(rate, seconds, (i) => step(ids[i % ids.length], 1));
  },

  feed: ({ id }) => log.keys(id).feed,

  /** Bytes of the log of each run. */
  bytes: ({ ids }) => Promise.all(ids.map(bytesOf)),

  /** Ends the runs, as a cancel would. @returns the bytes of each log, whole */
  async seal({ ids }) {
    for (const id of ids)
      await log.seal(id, () => ({
        name: 'lifecycle.cancelled',
        source: null,
        data: { reason: 'bench', report: null },
      }));
    return Promise.all(ids.map(bytesOf));
  },

  /**
   * Reads a whole log with plain XRANGE in pages and keeps every frame: the reference for replay.
   */
  async xrange({ id, page }) {
    const { log: key } = log.keys(id);
    const start = now();
    const frames = [];
    let after = '-';
    for (;;) {
      const entries = await redis.xrangeBuffer(key, after, '+', 'COUNT', page);
      for (const [, fields] of entries) frames.push(fields[1]);
      if (entries.length < page) break;
      after = `(${entries.at(-1)[0].toString()}`;
    }
    const bytes = frames.reduce((total, frame) => total + frame.length, 0);
    return { ms: now() - start, bytes, frames: frames.length };
  },

  /** Deletes what this process and redis-benchmark wrote. */
  async clean() {
    const keys = [...runs.keys()].flatMap((id) =>
      Object.values(log.keys(id)).filter((key) => typeof key === 'string'),
    );
    runs.clear();
    for (const key of [...keys, PLAIN_KEY]) void redis.unlink(key);
    await redis.ping();
  },
});
