/**
 * `node --import ./scripts/ts.mjs --import ./test/setup/with-build.mjs
 * test/faults/record-histories.ts [NAME…]`: records runs of today's code as fixtures for
 * histories.test.ts, those of these names or all. To be run when the log, the checkpoints or what
 * is in them have changed. The old ones stay: they must still be read.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPrivateRedis } from '../../src/local/private-redis.js';
import { as, ask } from '../support/chat.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';
import { dumpRun, type History } from './lib/history.js';
import { PatientClient } from './lib/patient-client.js';

const FOLDER = join(import.meta.dirname, '../fixtures/histories');
const CALLER = 'recorded';
const wanted = process.argv.slice(2);
const redis = await startPrivateRedis();
const cluster = new Cluster(redis.url, redis.url, redis.url);

type More = Partial<Pick<History, 'gates' | 'done' | 'caller'>>;

interface Recorded {
  id: number;
  runId: string;
}

async function record(name: string, about: string, { id, runId }: Recorded, more: More = {}) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const keys = await dumpRun(cluster.store, cluster.prefix, runId);
  const history: History = {
    version: 1,
    about,
    runId,
    topologyId: id,
    gates: [],
    done: [],
    ...more,
    keys,
  };
  const file = join(FOLDER, `${new Date().toISOString().slice(0, 10)}-${name}.json`);
  await writeFile(file, `${JSON.stringify(history, null, 1)}\n`);
  console.log(`${file}: ${about}`);
}

try {
  await mkdir(FOLDER, { recursive: true });
  const [node, worker] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  const client = new PatientClient(() => node.url, AbortSignal.timeout(60_000));
  const begin = async (mark: string, nodes: Parameters<typeof topologyOf>[0], orders = {}) => {
    const topology = topologyOf(nodes, { name: 'Recorded' });
    await client.createTopology(topology);
    const body = {
      topologyId: topology.id,
      ...say({ mark, ...orders }),
      limits: { toolTimeoutSeconds: 300 },
    };
    return { id: topology.id, runId: await client.trigger(body, mark) };
  };
  const has = (runId: string, text: string) =>
    until(`"${text}" in a log`, async () =>
      (await cluster.store.xrange(`${cluster.prefix}:{${runId}}:log`, '-', '+')).some(
        ([, [, frame]]) => frame?.includes(text),
      ),
    );

  const completed = await begin('completed', {
    web: scriptedNode('look', { mark: 'completed web' }),
    db: scriptedNode('touch', { mark: 'completed db' }),
  });
  await has(completed.runId, 'event: lifecycle.completed');
  await record('completed', 'a run that has completed', completed);

  const cancelled = await begin('cancelled', {
    web: scriptedNode('look', { mark: 'cancelled web', gate: 'never' }),
  });
  await cluster.observed({ event: 'tool-began', mark: 'cancelled web' });
  await client.cancel(cancelled.runId);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
  await record('cancelled', 'a run that was cancelled in a tool', cancelled);

  const topology = topologyOf(
    {
      web: scriptedNode('look', { mark: 'chat web' }),
      db: scriptedNode('touch', { mark: 'chat db' }),
    },
    { name: 'Recorded' },
  );
  await client.createTopology(topology);
  const turn = { session_id: 'recorded', topology_id: topology.id };
  await ask(`${node.url}/chat/stream`, { ...turn, message: 'How is web now?' }, as(CALLER));
  // An answer of the turn before is one of the model's.
  const { userMessage } = say({
    mark: 'chat',
    hold: { who: 'oracle:', turn: 3, gate: 'chat thinking' },
  });
  const asked = await fetch(`${node.url}/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as(CALLER) },
    body: JSON.stringify({
      ...turn,
      message: `How is db now? ${userMessage.slice(userMessage.indexOf('#'))}`,
    }),
  });
  const chat = asked.headers.get('x-run-id') ?? '';
  await asked.body?.cancel();
  await cluster.observed({ event: 'model-began', mark: 'chat', who: 'oracle:', nth: 3 });
  await has(chat, 'Let me think.');
  const done = ['chat web', 'chat db'];
  await record(
    'chat',
    'the second turn of a conversation: a tool has answered, the oracle is in its answer',
    { id: topology.id, runId: chat },
    {
      caller: CALLER,
      gates: ['chat thinking'],
      done,
    },
  );

  const half = await begin(
    'half',
    {
      done: scriptedNode('look', { mark: 'half done' }),
      safe: scriptedNode('look', { mark: 'half safe', gate: 'half safe' }),
      unsafe: scriptedNode('touch', { mark: 'half unsafe', gate: 'half unsafe' }),
      thinking: scriptedNode('look', { mark: 'half thinking' }),
    },
    { hold: { who: 'worker:thinking', turn: 2, gate: 'half thinking' } },
  );
  for (const mark of ['half safe', 'half unsafe'])
    await cluster.observed({ event: 'tool-began', mark });
  await cluster.observed({ event: 'model-began', mark: 'half', who: 'worker:thinking', nth: 2 });
  await has(half.runId, 'event: dispatch.report');
  await has(half.runId, 'Let me think.');
  await worker.end();
  await record(
    'half-way',
    'supervisors parked; one worker has reported, two are in tools, one is in an answer of its model',
    half,
    {
      gates: ['half safe', 'half unsafe', 'half thinking'],
      done: ['half done', 'half thinking'],
    },
  );
} finally {
  await cluster.close();
  await redis.stop();
}
