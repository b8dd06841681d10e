import { join } from 'node:path';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { consilium } from '../lib/contenders.mjs';
import { deliver } from '../lib/deliver.mjs';
import { startHelper } from '../lib/helper.mjs';
import { fromDist, WORK } from '../lib/product.mjs';
import { product, TRIGGER } from '../lib/runners.mjs';
import { median } from '../lib/stats.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Access checks';
export const about = `The same service twice: with \`AUTH=none\`, and with \`AUTH=keys\` and all limits of a principal counted (set so high that none is
reached). From a POST to \`/executions/trigger\` to the first byte of \`lifecycle.started\`, one at a time; and deliveries a second to
100 followers of one run, flat out. 20 triggers a round; the two take turns.`;

const OPEN = 'AUTH=none';
const KEYS = 'AUTH=keys';
const FIRST = 'first event, median';
const FOLLOWERS = 100;

export async function run({ redis, reps, size, brief }) {
  const table = new Table();
  const { env, headers, forget } = await firstKey();
  const [callers, followers] = await Promise.all([
    startHelper('callers'),
    startHelper('followers'),
  ]);
  const runners = {
    [OPEN]: await product(redis, callers),
    // Keys of their own in Redis: no agent of one service works for the other.
    [KEYS]: await product(redis, callers, { env: { ...env, REDIS_PREFIX: 'keys' }, headers }),
  };
  const feeds = {
    [OPEN]: await consilium(redis),
    [KEYS]: await consilium(redis, { env, headers }),
  };
  forget();
  const count = brief ? 4 : 20;
  const events = Math.ceil(40_000 * size * (brief ? 0.02 : 1));
  // The first round is not counted.
  for (let rep = -1; rep < reps; rep++)
    for (const by of [OPEN, KEYS]) {
      const { first } = await callers.call('many', {
        ...runners[by].target,
        ...TRIGGER,
        count,
        atOnce: 1,
      });
      const { perSecond } = await deliver(feeds[by], followers, { count: FOLLOWERS, events });
      if (rep < 0) continue;
      table.add(FIRST, by, 'ms', median(first));
      table.add(`${FOLLOWERS} followers`, by, 'deliveries/s', perSecond);
    }
  table.ratio(FIRST, KEYS, OPEN, '<=', 1.05);
  table.ratio(`${FOLLOWERS} followers`, KEYS, OPEN, '>=', 0.95);
  const processes = [...Object.values(runners).map(({ process }) => process), callers, followers];
  await Promise.all([...processes, ...Object.values(feeds)].map((process) => process.stop()));
  return table;
}

/**
 * Settings of a service that has one API key, and the header with it. `forget` removes the file
 * with the key.
 */
async function firstKey() {
  const { makeApiKey } = await fromDist('http/access/api-key.js');
  const { key } = makeApiKey();
  const folder = join(WORK, 'access');
  const file = join(folder, 'admin.key');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, key, { mode: 0o600 });
  const most = '1000000';
  return {
    env: {
      AUTH: 'keys',
      AUTH_BOOTSTRAP_KEY_FILE: file,
      REQUESTS_PER_MINUTE: most,
      TRIGGERS_PER_MINUTE: most,
      MAX_STREAMS: most,
      MAX_OPEN_RUNS: most,
      TOKENS_PER_DAY: most,
    },
    headers: { Authorization: `Bearer ${key}` },
    forget: () => rmSync(folder, { recursive: true, force: true }),
  };
}
