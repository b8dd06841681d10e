// Followers connect and disconnect for a while. Memory, handles, listeners and subscriptions must
// end as they began.
//
//   npm run soak -- [MINUTES=10] [FOLLOWERS=200]
//
// Runs are started, written at full speed or slowly, ended and dropped. Clients (raw sockets) join
// anywhere, stop reading, and disconnect. The subscription's connection is cut now and then. What a
// client received must be a section of its log. Prints a line every 10 s, and exits with 1 if
// something is left or memory has grown.
import '../scripts/ts.mjs';
import { createServer } from 'node:http';
import { connect as dial } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { startPrivateRedis } = await import('../src/local/private-redis.ts');
const { connect } = await import('../src/redis/connect.ts');
const { loadConfig } = await import('../src/config/load-config.ts');
const { RedisLog } = await import('../src/event-log/redis-log.ts');
const { Feed } = await import('../src/streams/feed.ts');
const { beginEventStream } = await import('../src/streams/event-stream.ts');
const { Logger } = await import('@nestjs/common');
Logger.overrideLogger(false);

const minutes = Number(process.argv[2] ?? 10);
const most = Number(process.argv[3] ?? 200);
const RUNS = 12;
const any = (list) => list[Math.floor(Math.random() * list.length)];
const mb = (bytes) => (bytes / 2 ** 20).toFixed(1);

const server = await startPrivateRedis({ extraArgs: ['--maxmemory', '512mb'] });
const config = {
  ...loadConfig({
    REDIS_URL: server.url,
    HEARTBEAT_SECONDS: '2',
    FOLLOWER_STUCK_SECONDS: '5',
    FOLLOWER_BUFFER_BYTES: '65536',
  }),
  logMaxEvents: 1e9,
};
const redis = connect(config.redisUrl, 5_000);
const log = new RedisLog(redis, config);
const feed = new Feed(log, config);

const http = createServer(async (request, response) => {
  const [, runId, after] = request.url.split('/');
  try {
    feed.admit(response);
  } catch {
    return void response.writeHead(503).end();
  }
  const sink = beginEventStream(response, {});
  let leave = () => {};
  response.on('close', () => leave());
  leave = await feed.follow(runId, Number(after), sink);
  if (response.destroyed) leave();
});
await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
const { port } = http.address();

const spec = {
  kind: 'diagnosis',
  owner: 'soak',
  topology: { id: 1, name: 'T' },
  topologyVersion: 1,
  userMessage: '?',
  limits: { timeoutSeconds: 900 },
  onDisconnect: 'continue',
};
const source = { agent_id: '1', agent_type: 'worker', agent_name: 'W', team_name: 'T' };
const text = () => ({
  name: 'llm.stream',
  source,
  data: {
    content: 'x'.repeat(Math.random() < 0.02 ? 20_000 : Math.random() * 400),
    dispatch_id: 'd1',
    turn: 1,
    attempt: 1,
  },
});
const end = {
  name: 'lifecycle.completed',
  source,
  data: { summary: 'Done.', report: null, partial: false, reasons: [] },
};

const counted = { runs: 0, events: 0, clients: 0, frames: 0, bytes: 0, cut: 0 };
const problems = new Set();
const runs = new Map();
let going = true;

/** Runs one after another, each for a few seconds. */
async function writer() {
  while (going) {
    const runId = crypto.randomUUID();
    await log.create(runId, spec, [text()]);
    await log.claim(runId, 'w');
    const run = { last: 1 };
    runs.set(runId, run);
    counted.runs++;
    const until = Date.now() + 2_000 + Math.random() * 15_000;
    const pause = any([0, 5, 50, 500]);
    let step = 0;
    while (going && Date.now() < until) {
      const events = Array.from({ length: 1 + Math.floor(Math.random() * 8) }, text);
      const answer = await log.append(runId, { writer: 'w', epoch: 1, step: ++step, events });
      run.last = answer.last;
      counted.events += events.length;
      if (pause > 0) await sleep(Math.random() * pause);
      else if (step % 50 === 0) await sleep(20);
    }
    await log.append(runId, { writer: 'w', epoch: 1, step: ++step, events: [end] });
    setTimeout(async () => {
      runs.delete(runId);
      await log.trim(runId).catch(() => undefined);
      await log.forget(runId).catch(() => undefined);
    }, 3_000);
  }
}

/** Clients one after another, each with a random patience. */
async function follower() {
  while (going) {
    const [runId, run] = any([...runs]) ?? [];
    if (!runId) {
      await sleep(50);
      continue;
    }
    await follow(runId, Math.floor(Math.random() * run.last));
    await sleep(Math.random() * 300);
  }
}

function follow(runId, after) {
  counted.clients++;
  return new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1', () =>
      socket.write(`GET /${runId}/${after} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    let rest = '';
    let next = after + 1;
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      counted.bytes += chunk.length;
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop();
      for (const frame of frames) {
        const id = /^id: (\d+)$/m.exec(frame)?.[1];
        if (id === undefined) continue;
        counted.frames++;
        if (Number(id) !== next) problems.add(`sequence ${id} where ${next} was due`);
        next = Number(id) + 1;
      }
    });
    const timers = [setTimeout(() => socket.destroy(), 500 + Math.random() * 20_000)];
    // Some stop reading, for a while or for ever; the latter are disconnected.
    if (Math.random() < 0.3) timers.push(setTimeout(() => socket.pause(), Math.random() * 3_000));
    if (Math.random() < 0.5)
      timers.push(setTimeout(() => socket.resume(), 3_000 + Math.random() * 5_000));
    socket.on('error', () => counted.cut++);
    socket.on('close', () => {
      timers.forEach(clearTimeout);
      resolve();
    });
  });
}

async function dropSubscribers() {
  while (going) {
    await sleep(7_000 + Math.random() * 5_000);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  }
}

async function look() {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss, external } = process.memoryUsage();
  const channels = (await redis.call('PUBSUB', 'CHANNELS', '*')).length;
  const listeners =
    http.listenerCount('connection') + redis.listenerCount('error') + process.listenerCount('exit');
  return {
    heapUsed,
    rss,
    external,
    handles: process.getActiveResourcesInfo().length,
    listeners,
    channels,
    ...feed.load,
  };
}
const say = (when, now) =>
  console.log(
    `${when.padEnd(9)} heap ${mb(now.heapUsed)} MB, rss ${mb(now.rss)} MB, external ${mb(now.external)} MB, handles ${now.handles}, ` +
      `listeners ${now.listeners}, subscriptions ${now.channels}, followers ${now.followers} of ${now.runs} runs | ` +
      Object.entries(counted)
        .map(([key, value]) => `${key} ${value}`)
        .join(', '),
  );

// The first sample is taken after a warm-up: what is loaded once is not a leak.
const cast = [...Array.from({ length: RUNS }, writer), dropSubscribers()];
await sleep(500);
cast.push(...Array.from({ length: most }, follower));
await sleep(Math.min(20_000, minutes * 12_000));
const early = await look();
say('warm', early);
const heaps = [];
const stop = Date.now() + minutes * 60_000;
while (Date.now() < stop) {
  await sleep(10_000);
  const now = await look();
  heaps.push(now.heapUsed);
  say(`${Math.round((minutes * 60_000 - (stop - Date.now())) / 1_000)} s`, now);
}
going = false;
await Promise.all(cast);
await sleep(6_000);
const last = await look();
say('end', last);
await feed.onApplicationShutdown();
http.close();
redis.disconnect();
await sleep(500);
await server.stop();
await sleep(500);
const left = process.getActiveResourcesInfo().filter((kind) => !/^(PipeWrap|TTYWrap)$/.test(kind));
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / Math.max(list.length, 1);
const third = Math.ceil(heaps.length / 3);
const growth = mean(heaps.slice(-third)) / mean(heaps.slice(0, third));
console.log(
  `heap in the last third to the first: ${growth.toFixed(2)}; left when all is closed: ${left.join(', ') || 'nothing'}`,
);
if (last.followers + last.runs + last.channels > 0)
  problems.add('followers or subscriptions are left');
if (last.listeners > early.listeners)
  problems.add(`listeners are left: ${last.listeners} where there were ${early.listeners}`);
if (left.length > 0) problems.add(`handles are left: ${left.join(', ')}`);
if (growth > 1.25 && last.heapUsed > early.heapUsed * 1.25)
  problems.add(`the heap has grown by ${growth.toFixed(2)}`);
for (const problem of problems) console.log(`PROBLEM: ${problem}`);
process.exit(problems.size > 0 ? 1 : 0);
