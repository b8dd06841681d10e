// Mixed load on a whole service, and what its process holds: in the heap, in buffers, and outside
// of both.
//
//   npm run soak:service -- [MINUTES=5] [CLIENTS=12]
//
// Clients trigger diagnoses, ask the oracle and resume streams. Then the service rests for a
// minute. Variables and NODE_OPTIONS of the environment apply to the service, so that settings can
// be compared: MALLOC_ARENA_MAX=2, NODE_OPTIONS=--max-semi-space-size=2. Prints a line every 15 s,
// and exits with 1 if memory outside of the heap has not levelled off or if the service printed a
// warning.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const minutes = Number(process.argv[2] ?? 5);
const clients = Number(process.argv[3] ?? 12);
/**
 * MB per minute that memory outside of the heap and its buffers may grow in the last third of the
 * load.
 */
const LEVEL = 2;

const folder = await mkdtemp(join(tmpdir(), 'consilium-soak-'));
const target = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
await once(target, 'listening');
const service = spawn(process.execPath, [join(import.meta.dirname, '../dist/main.js')], {
  env: {
    ...process.env,
    PORT: '0',
    DATA_DIR: folder,
    TOPOLOGIES_DIR: folder,
    LOG_LEVEL: 'error',
    MONTHLY_MESSAGES: '1000000',
    ORACLE_CONCURRENCY: '10',
  },
});
let going = true;
const warnings = [];
service.stderr.on('data', (bytes) => going && warnings.push(bytes.toString()));
const url = await listening(service);
const api = `${url}/api/service/v1`;
const counts = { runs: 0, chats: 0, resumes: 0, refused: 0 };

await post(`${api}/topologies`, {
  id: 1,
  name: 'Soak',
  nodes: [
    ...Array.from({ length: 4 }, (_, i) => ({
      id: `web${i}`,
      name: `Web ${i}`,
      kind: 'service',
      dependsOn: ['db'],
      endpoint: `http://127.0.0.1:${target.address().port}/`,
    })),
    { id: 'db', name: 'Database', kind: 'tcp', endpoint: '127.0.0.1:9' },
  ],
});

const samples = [];
const started = Date.now();
const load = Array.from({ length: clients }, (_, index) => client(index));
while (Date.now() - started < minutes * 60_000) {
  await sleep(15_000);
  samples.push(await sample());
}
going = false;
await Promise.all(load);
await sleep(60_000);
samples.push(await sample('rest'));
service.kill('SIGTERM');
await once(service, 'exit');
target.close();
await rm(folder, { recursive: true, force: true });

const late = samples.slice(Math.floor(samples.length * (2 / 3)), -1);
const first = late[0];
const last = late.at(-1);
const growth = ((last.native - first.native) / (last.at - first.at)) * 60_000;
console.log(`outside of the heap: ${growth.toFixed(1)} MB a minute in the last third of the load`);
if (warnings.length > 0) console.log(`PROBLEM: the service printed\n${warnings.join('')}`);
if (growth > LEVEL) console.log('PROBLEM: memory outside of the heap has not levelled off');
process.exit(warnings.length > 0 || growth > LEVEL ? 1 : 0);

/** One client after another: a run, a resumed stream of it, and now and then a question. */
async function client(index) {
  const headers = { cookie: `consilium_caller=soak-0123456789abcdef-${index}` };
  while (going) {
    try {
      const run = await post(`${api}/executions/trigger`, { topologyId: 1, userMessage: 'Slow.' });
      counts.runs++;
      await read(`${api}/executions/${run}/events`, { 'last-event-id': '5' });
      counts.resumes++;
      if (counts.runs % 4 !== 0) continue;
      await post(`${url}/chat/stream`, { message: 'What was the last root cause?' }, headers);
      counts.chats++;
    } catch {
      counts.refused++;
      await sleep(200);
    }
  }
}

/** Reads the response whole. @returns the id of its run */
async function post(address, body, headers = {}) {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${response.status}`);
  return response.headers.get('x-run-id');
}

async function read(address, headers) {
  await (await fetch(address, { headers })).arrayBuffer();
}

/**
 * MB, as the service's own metrics say. `native` is what is in neither the heap nor its buffers.
 */
async function sample(when = `${Math.round((Date.now() - started) / 1_000)} s`) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const mb = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / 2 ** 20;
  const rss = mb('process_resident_memory_bytes');
  const heap = mb('nodejs_heap_size_total_bytes');
  const used = mb('nodejs_heap_size_used_bytes');
  const external = mb('nodejs_external_memory_bytes');
  const shown = { rss, heap, used, external, native: rss - heap - external };
  const figures = Object.entries(shown).map(([name, value]) => `${name} ${value.toFixed(0)}`);
  console.log(`${when.padEnd(6)} ${figures.join(', ')} MB | ${JSON.stringify(counts)}`);
  return { ...shown, at: Date.now() };
}

function listening({ stdout }) {
  let said = '';
  return new Promise((resolve) => {
    stdout.on('data', (bytes) => {
      said += bytes.toString();
      const found = /listens on (http:\S+?),/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}
