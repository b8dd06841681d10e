import { expect } from '@jest/globals';
import { z } from 'zod';
import { textOf } from '../../../src/lib/json.js';
import type { Tool } from '../../../src/tools/tool.js';
import type { Api } from '../api.js';
import { expectValid, type CheckedEvent } from '../streams/event-stream.js';
import type { ModelScene } from './model-scene.js';
import type { Say } from './provider-frames.js';
import type { Exchange } from './provider-server.js';
import { roleOf, scriptedAgents, type Script } from './scripted-agents.js';
import { oneWorker } from '../incidents/topology.js';

const args = z.object({ node: z.string(), how: z.string().optional() });
/** A tool that runs a function of the test, only if a model calls it. */
export const toolOf = (name: string, run: Tool<z.infer<typeof args>>['run']): Tool => ({
  name,
  description: name,
  access: 'read',
  measures: () => 'service',
  subject: ['how'],
  repeatable: true,
  onDemand: () => true,
  args,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id }),
  run,
});
export const fine = (summary: string) => ({
  status: 'ok' as const,
  summary,
  measurements: {},
  issues: [],
});

export const call = (tool: string, how?: string): Say => ({
  call: tool,
  args: JSON.stringify({ node: 'shop', ...(how && { how }) }),
});
export const report: readonly Say[] = [
  { call: 'report', args: '{"summary":"Looked at.","findings":[]}' },
];
/** The codes of the events that have one. */
export const codes = (events: CheckedEvent[]) =>
  events.flatMap(({ data }) => (typeof data['code'] === 'string' ? [data['code']] : []));
/**
 * The data of the events with a code, without their dispatch and turn: an agent's event names both;
 * the top has no dispatch.
 */
export const coded = (events: CheckedEvent[], code: string) =>
  events
    .filter(({ data }) => data['code'] === code)
    .map(({ data: { dispatch_id, turn, ...data } }) => {
      expect([null, expect.stringMatching(/^d\d/)]).toContainEqual(dispatch_id);
      expect(turn).toEqual(expect.any(Number));
      return data;
    });
export const saidIn = (events: CheckedEvent[]) =>
  events.map(({ key, data }) => (key === 'llm.stream' ? textOf(data, 'content') : '')).join('');
export const workerReport = (events: CheckedEvent[]) =>
  events.find(({ key, source }) => key === 'dispatch.report' && source.agent_type === 'worker')
    ?.data;

/** Returns all texts in the JSON of a request. */
export const told = (exchange: Exchange | undefined) => JSON.stringify(exchange?.body);

/** A process that a busy machine keeps waiting must not lose its jobs, and resume them. */
const LASTING_LOCKS = { LOCK_MS: '60000' };

/** Diagnoses of one node by one worker, with a model of a provider. */
export function workerScenario(scene: ModelScene, provider: 'openai' | 'anthropic') {
  /**
   * Starts the service with that model, and one node with a team of one worker that may call these
   * tools.
   */
  async function service(
    tools: Tool[],
    env = scene.hosted(provider),
  ): Promise<{ api: Api; topologyId: number }> {
    const api = await scene.service({ ...LASTING_LOCKS, ...env }, { tools });
    const agents = oneWorker(['http_probe', ...tools.map((tool) => tool.name)]);
    return { api, topologyId: await api.store(await scene.shop(agents)) };
  }

  /** Runs a diagnosis whose worker follows a script. */
  async function diagnosis(
    worker: Script,
    limits: object,
    tool?: Tool,
    env = scene.hosted(provider),
  ): Promise<CheckedEvent[]> {
    scene.server.otherwise = scriptedAgents({ worker });
    const { api, topologyId } = await service(tool ? [tool] : [], env);
    return expectValid((await (await api.trigger(topologyId, { limits })).end()).text);
  }

  const requestsOf = (role: string) =>
    scene.server.exchanges.filter((exchange) => roleOf(exchange) === role);
  return { service, diagnosis, requestsOf };
}
