import { beforeEach } from '@jest/globals';
import { z } from 'zod';
import type { Tool } from '../../src/tools/tool.js';
import type { Api } from './api.js';
import { type ChatEvent } from './chat.js';
import { modelScene } from './models/model-scene.js';
import type { Say } from './models/provider-frames.js';
import { answer, refuse, type Reply } from './models/provider-server.js';
import { topologyOf } from './incidents/topology.js';

/** Messages that the caller may send in a month. */
export const MONTHLY = 3;

const query = z.object({ node: z.string(), query: z.string() });
type Query = z.infer<typeof query>;
const toolOf = (name: string, run: Tool<Query>['run']): Tool => ({
  name,
  description: name,
  access: 'read',
  measures: () => 'service',
  subject: ['query'],
  repeatable: true,
  onDemand: () => true,
  args: query,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id, query: '' }),
  run,
});
const searchCode = toolOf('search_code', async ({ query }) => ({
  status: 'ok',
  summary: `found ${query}`,
  measurements: {},
  issues: [],
}));
const searchLibrary = toolOf('search_workout_library', async () =>
  Promise.reject(new Error('Unable to connect to the service.')),
);
const sleepyhead = toolOf('sleepyhead', async () => new Promise(() => undefined));

export const call = (tool: string, args: object = {}): Say => ({
  call: tool,
  args: JSON.stringify({ node: 'shop', query: 'authentication', ...args }),
});
export const text = (words: string): Say => ({ text: words });
/** A turn of the model that uses so many tokens. */
export const dear = (say: Say, tokens: number): readonly Say[] => [
  say,
  { end: 'call' in say ? 'tool-calls' : 'stop', usage: [tokens - 5, 5] },
];

export const busy = (status: number) => refuse(status, { headers: { 'retry-after': '3000' } });

/** The order of a sequence: text may come in any number of pieces. */
export const names = (events: readonly ChatEvent[]) =>
  events
    .map(({ event }) => event)
    .filter((event, i, all) => event !== 'content_delta' || all[i - 1] !== event);
export const last = (events: readonly ChatEvent[]) => events.at(-1)?.data;

/** A service with a scripted model, and a topology of one node, for each test of a file. */
export function documentedScene() {
  const model = modelScene();
  const scene = { model, api: undefined as unknown as Api, topology_id: 0, plays };
  // A service that was asked to wait for its provider does so for a while.
  beforeEach(async () => {
    const env = { ...model.hosted(), MODEL: 'openai/gpt-4.1', MONTHLY_MESSAGES: String(MONTHLY) };
    scene.api = await model.service(env, { tools: [searchCode, searchLibrary, sleepyhead] });
    scene.topology_id = await scene.api.store(
      topologyOf({ shop: { kind: 'other' } }, { limits: { toolTimeoutSeconds: 1 } }),
    );
  });
  /** The model's turns, one after the other. */
  function plays(...script: (readonly Say[] | Reply)[]): void {
    model.server.script(
      ...script.map((turn) => (typeof turn === 'function' ? turn : answer(...turn))),
    );
  }
  return scene;
}
