import { startHelper } from './helper.mjs';
import { TOPOLOGY } from './topology.mjs';

const BASE = '/api/service/v1';

/** The request, and how a response must end. */
export const TRIGGER = {
  body: JSON.stringify({ topologyId: TOPOLOGY.id, userMessage: 'Something seems wrong.' }),
  ending: 'event: lifecycle.completed',
};

/**
 * The product with agents in the same process, and the topology of thirteen agents. `target`: where
 * to POST to start a run.
 * @param headers of all requests, for a service whose `env` wants a credential
 * @param failing id of a node of which the probe finds that it fails
 */
export async function product(redis, callers, { env = {}, headers = {}, failing } = {}) {
  const process = await startHelper('service');
  const url = await process.call('start', { redisUrl: redis.url, env, failing });
  const stored = {
    url,
    headers,
    path: `${BASE}/topologies`,
    body: JSON.stringify(TOPOLOGY),
    awaited: 'HTTP/1.1 201',
  };
  await callers.call('one', stored);
  return { process, target: { url, headers, path: `${BASE}/executions/trigger` } };
}

/** All contenders that can do the work of a run. */
export async function runners(redis, callers, table) {
  const consilium = await product(redis, callers);
  const { text } = await callers.call('one', { ...consilium.target, ...TRIGGER });
  const events = text.match(/^id: /gm).length;
  table.note(
    `A run of consilium has ${events} events, ${Buffer.byteLength(text).toLocaleString('en')} bytes.`,
  );

  const flow = await startHelper('bare-flow');
  const langgraph = await startHelper('langgraph');
  return {
    consilium,
    'bare BullMQ flow': {
      process: flow,
      target: { url: await flow.call('start', { redisUrl: redis.url, events }), path: '/' },
    },
    LangGraph: { process: langgraph, target: { url: await langgraph.call('start'), path: '/' } },
  };
}
