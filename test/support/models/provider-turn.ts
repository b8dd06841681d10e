import { afterEach, beforeEach, expect } from '@jest/globals';
import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { loadConfig } from '../../../src/config/load-config.js';
import type { TurnUsage } from '../../../src/models/calls/cost.js';
import { ModelError } from '../../../src/models/calls/model-error.js';
import { streamTurn } from '../../../src/models/calls/stream-turn.js';
import type { TurnPart, TurnRequest } from '../../../src/models/calls/turn-part.js';
import type { ModelEntry } from '../../../src/models/models.js';
import { loadModels } from '../../../src/models/providers/load-models.js';
import { makeModel } from '../../../src/models/providers/make-model.js';
import type { Protocol } from './provider-frames.js';
import { startProviderServer, type ProviderServer, type Reply } from './provider-server.js';

export const KEY = 'sk-proj-secret0123456789abcdef';
export const never = new AbortController().signal;
export const tool: LanguageModelV3FunctionTool = {
  type: 'function',
  name: 'http_probe',
  description: 'Asks a node',
  inputSchema: { type: 'object', properties: { node: { type: 'string' } }, required: ['node'] },
};
export const request = {
  prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Is it well?' }] }],
  tools: [tool],
};

/** Loads the model that MODEL, a key and an address define. */
function modelAt(
  url: string,
  protocol: Protocol,
  timeouts: ModelEntry['timeouts'] = {},
): ModelEntry {
  const provider = protocol === 'anthropic' ? 'anthropic' : 'openai';
  const name = provider.toUpperCase();
  const config = loadConfig({
    MODEL: `${provider}/some-model`,
    [`${name}_API_KEY`]: KEY,
    [`${name}_BASE_URL`]: url,
  });
  const entry = loadModels(config).entries[0] as ModelEntry;
  return {
    ...entry,
    ...(protocol === 'responses' && { model: responsesModel(url) }),
    timeouts: { startMs: 5_000, silenceMs: 5_000, ...timeouts },
  };
}

/** OpenAI's responses protocol at another address needs a models file. */
function responsesModel(url: string): ModelEntry['model'] {
  return makeModel(
    {
      name: 'm',
      provider: 'openai',
      model: 'some-model',
      api: 'responses',
      baseUrl: url,
      fallback: [],
    },
    KEY,
  );
}

/** Asks a model once. @returns `taken`: the tokens of an answer that broke off */
export async function turn(
  entry: ModelEntry,
  signal = never,
  asked: typeof request | TurnRequest = request,
  onPart: (part: TurnPart) => void = () => undefined,
): Promise<{ parts: TurnPart[]; error?: unknown; taken?: TurnUsage }> {
  const parts: TurnPart[] = [];
  const taken: TurnUsage[] = [];
  try {
    for await (const part of streamTurn(entry, asked, signal, (usage) => taken.push(usage))) {
      parts.push(part);
      onPart(part);
    }
    return { parts };
  } catch (error) {
    return { parts, error, ...(taken[0] && { taken: taken[0] }) };
  }
}

/** A provider that is started anew for each test. */
export function testProvider() {
  let server: ProviderServer;
  const provider = {
    get server() {
      return server;
    },
    start: async () => void (server = await startProviderServer()),
    /** A model of the provider. */
    model: (protocol: Protocol, timeouts?: ModelEntry['timeouts']) =>
      modelAt(server.url, protocol, timeouts),
    /** Expects a turn that gets this reply to fail. */
    failure: (protocol: Protocol, reply: Reply, timeouts?: ModelEntry['timeouts']) =>
      failureAt(server, protocol, reply, timeouts),
  };
  beforeEach(provider.start);
  afterEach(() => server.close());
  return provider;
}

/** Expects a turn to fail without a secret in its error. */
async function failureAt(
  server: ProviderServer,
  protocol: Protocol,
  reply: Reply,
  timeouts?: ModelEntry['timeouts'],
): Promise<ModelError & { parts: TurnPart[] }> {
  server.script(reply);
  const { parts, error } = await turn(modelAt(server.url, protocol, timeouts));
  if (!(error instanceof ModelError))
    throw new Error(`no ModelError, but ${JSON.stringify(parts)} and ${String(error)}`);
  expect(parts.some((part) => part.type === 'finish')).toBe(false);
  const shown = JSON.stringify([error.message, error.stack, { ...error }]);
  expect(shown).not.toContain('secret');
  expect(shown).not.toContain('req_0');
  return Object.assign(error, { parts });
}

export const textOf = (parts: TurnPart[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
