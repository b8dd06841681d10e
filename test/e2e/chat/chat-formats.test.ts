import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FORMATS, formatOf, type Format } from '../../../src/formats/registry.js';
import type { Api } from '../../support/api.js';
import { encodeLog, framesOf, idOf, payloads } from '../../support/streams/encode.js';
import { EventStream, expectValid } from '../../support/streams/event-stream.js';
import { expectProtocol, type Ending } from '../../support/streams/expect-protocol.js';
import { expectDocumented } from '../../support/streams/frame-check.js';
import { ModelScene } from '../../support/models/model-scene.js';
import { begin, inTurn, refuse, reset } from '../../support/models/provider-server.js';
import { isChatFormat, shownText } from '../../support/streams/shown-text.js';
import { readInPieces, wholeFrames } from '../../support/streams/read-in-pieces.js';
import { scriptedAgents, type Script } from '../../support/models/scripted-agents.js';
import { healthy, httpTarget, silent, type Target } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const model = new ModelScene();
let api: Api;
let dead: Target;
let shop: number;
let slow: number;
beforeAll(async () => {
  await model.open();
  api = await model.service(model.hosted());
  dead = await httpTarget(model.targets, silent);
  shop = await api.store(
    topologyOf(
      { shop: await httpTarget(model.targets, healthy) },
      { limits: { maxIterations: 2 } },
    ),
  );
  slow = await api.store(topologyOf({ slow: dead }));
});
afterAll(() => model.close());

const call = (tool: string, args: object) => ({ call: tool, args: JSON.stringify(args) });

interface Message {
  role: string;
  content: string;
  run_id: string;
}

interface Turn {
  oracle: () => Script;
  ending: Ending;
  /** What the log must have. */
  has: string;
  topology?: () => number;
  /** Once the turn is under way. */
  meanwhile?: (stream: EventStream) => Promise<void>;
}

/** The frame that says how a turn ended. */
function endOf(format: Format, ending: Exclude<Ending, 'stopped'>): RegExp {
  const kind = formatOf(format).ends[ending];
  return new RegExp(`^event: ${kind}\\n|^data: \\{"type":"${kind}"`, 'm');
}

/** The answer that the conversation of a turn keeps; empty if it keeps none. */
async function storedText(log: string): Promise<string> {
  const { run_id, data } = payloads(log)[0] as { run_id: string; data: { session_id: string } };
  const url = `${api.url}/api/v1/conversations/${data.session_id}`;
  const { messages } = ((await (await fetch(url)).json()) as { data: { messages: Message[] } })
    .data;
  const answer = messages.find((each) => each.role === 'assistant' && each.run_id === run_id);
  return answer?.content ?? '';
}

/** Turns of every kind. */
const TURNS: Record<string, Turn> = {
  'an answer with a thought and a call': {
    oracle: () => [
      [{ reasoning: 'I should look.' }, { text: 'Let me look. ' }, call('list_topologies', {})],
      [{ text: 'There are ' }, { text: 'two.' }],
    ],
    ending: 'completed',
    has: '"source_type":"topology"',
  },
  'several calls at once, one of them wrong': {
    oracle: () => [
      [
        call('list_runs', { limit: 1 }),
        call('get_run', { run_id: 'none' }),
        call('navigate_to_page', { page: 'runs' }),
      ],
      [{ text: 'Opened.' }],
    ],
    ending: 'completed',
    has: '"status":"error"',
  },
  'a diagnosis that it starts': {
    oracle: () => [
      [{ text: 'I start one. ' }, call('start_diagnosis', { topology_id: shop, problem: 'slow' })],
      [{ text: 'It is well.' }],
    ],
    ending: 'completed',
    has: '"verdict":',
  },
  'the last turn reached': {
    oracle: () => [
      [{ text: 'First this. ' }, call('list_runs', { limit: 1 })],
      [call('list_runs', { limit: 2 })],
    ],
    topology: () => shop,
    ending: 'stopped',
    has: '"partial":true',
  },
  'cancelled in a call': {
    oracle: () => [[{ text: 'Let me look. ' }, call('http_probe', { node: 'slow' })]],
    topology: () => slow,
    ending: 'cancelled',
    has: 'llm.tool_call',
    meanwhile: async ({ runId }) => {
      await until('a probe in flight', () => dead.connections > 0);
      await api.cancel(runId);
      await until('the probe is given up', () => dead.connections === 0);
    },
  },
  'failed before a word': {
    oracle: () => [refuse(400)],
    ending: 'failed',
    has: '"code":"AI_ERROR"',
  },
  'failed in the middle': {
    oracle: () => [inTurn(begin({ reasoning: 'Hm.' }, { text: 'So far, ' }), reset)],
    ending: 'failed',
    has: '"code":"AI_ERROR"',
  },
};

/** Every POST that begins a stream, with the first frame that it has of its own accord. */
const ENDPOINTS: [string, string, (id: string) => object, string][] = [
  ['/chat/stream', 'chat', () => ({ message: 'Hi.' }), 'event: message_start'],
  ['/api/oracle/stream', 'oracle', () => ({ question: 'Hi.' }), '"type":"context_update"'],
  ['/api/v1/conversations/ID/stream', 'agent', () => ({ content: 'Hi.' }), '"type":"stream_start"'],
  [
    '/api/service/v1/ag-ui',
    'ag-ui',
    (threadId) => ({ threadId, runId: 'r', messages: [{ id: '1', role: 'user', content: 'Hi.' }] }),
    '"type":"RUN_STARTED"',
  ],
  [
    '/api/chat',
    'ai-sdk',
    (id) => ({ id, messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }] }),
    '"type":"start"',
  ],
  [
    '/api/service/v1/executions/trigger',
    'executor',
    () => ({ topologyId: shop, userMessage: 'Hi.' }),
    'event: lifecycle.started',
  ],
];

test.each(ENDPOINTS)(
  'POST %s streams as %s, or in the format of its query',
  async (path, standard, bodyOf, first) => {
    model.server.otherwise = scriptedAgents({ oracle: [[{ text: 'Hello.' }]] });
    const open = (query: string, id: string) =>
      EventStream.open(`${api.url}${path.replace('ID', id)}${query}`, {
        method: 'POST',
        body: bodyOf(id),
      });
    const stream = await (await open('', `own-${standard}`)).end();
    expect([stream.status, stream.headers.location]).toEqual([
      200,
      `/api/service/v1/executions/${stream.runId}/events`,
    ]);
    expect(framesOf(wholeFrames(stream))[0]).toContain(first);
    expect(stream.headers['x-vercel-ai-ui-message-stream']).toBe(
      standard === 'ai-sdk' ? 'v1' : undefined,
    );
    for (const format of FORMATS) {
      const told = await (await open(`?format=${format}`, `told-${standard}-${format}`)).end();
      expect(told.headers['x-vercel-ai-ui-message-stream']).toBe(
        formatOf(format).headers?.['x-vercel-ai-ui-message-stream'],
      );
      expect(wholeFrames(told)).toBe(encodeLog(format, framesOf(await api.log(told.runId))));
    }
    expect((await open('?format=xml', 'refused')).status).toBe(400);
  },
);

test('the turn under way of a conversation of useChat can be followed in every format', async () => {
  model.server.otherwise = scriptedAgents({
    oracle: [[{ text: 'Let me look. ' }, call('http_probe', { node: 'slow' })]],
  });
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Is it slow?' }] }];
  const asked = EventStream.open(`${api.url}/api/chat`, {
    method: 'POST',
    body: { id: 'under-way', messages, topologyId: slow },
  });
  await until('a probe in flight', () => dead.connections > 0);
  const { runId } = await asked;
  const streams = await Promise.all(
    FORMATS.map(
      async (format) =>
        [
          format,
          await EventStream.open(`${api.url}/api/chat/under-way/stream?format=${format}`),
        ] as const,
    ),
  );
  await api.cancel(runId);
  const log = framesOf(await api.log(runId));
  for (const [format, stream] of streams)
    expect(wholeFrames(await stream.end())).toBe(encodeLog(format, log));
  await until('the probe is given up', () => dead.connections === 0);
});

describe.each(Object.entries(TURNS))('%s', (_, { oracle, ending, has, topology, meanwhile }) => {
  async function ask(format: Format): Promise<EventStream> {
    model.server.otherwise = scriptedAgents({ oracle: oracle() });
    const body = {
      message: 'Check it, please.',
      session_id: randomUUID(),
      thinking: true,
      ...(topology && { topology_id: topology() }),
    };
    return EventStream.open(`${api.url}/chat/stream?format=${format}`, { method: 'POST', body });
  }

  /**
   * What a client has at the end is what the log says, is documented, and is accepted by the
   * readers of the protocol.
   */
  async function expectSound(format: Format, runId: string, text: string): Promise<void> {
    const log = await api.log(runId);
    expectValid(log);
    expect(log).toContain(has);
    expect(text).toBe(encodeLog(format, framesOf(log)));
    expectDocumented(format, text);
    if (format === 'ag-ui' || format === 'ai-sdk') await expectProtocol[format](text, ending);
    if (isChatFormat(format)) expect(shownText(format, text)).toBe(await storedText(log));
    expect(
      framesOf(text)
        .slice(formatOf(format).sentinel ? -2 : -1)
        .join(''),
    ).toMatch(endOf(format, ending === 'stopped' ? 'completed' : ending));
  }

  test('in every format, live and from the log', async () => {
    const stream = await ask('chat');
    const { runId } = stream;
    const streams = await Promise.all(
      FORMATS.map(async (format): Promise<[Format, EventStream]> => [
        format,
        format === 'chat' ? stream : await api.follow(runId, {}, `?format=${format}`),
      ]),
    );
    await meanwhile?.(stream);
    for (const [format, each] of streams) {
      const live = wholeFrames(await each.end());
      await expectSound(format, runId, live);
      // Again, from the log; and from the frame in the middle.
      const again = await api.follow(runId, {}, `?format=${format}`);
      expect(wholeFrames(await again.end())).toBe(live);
      const frames = framesOf(live);
      const half = frames.length >> 1;
      const rest = await api.follow(
        runId,
        { 'last-event-id': idOf(frames[half] as string) },
        `?format=${format}`,
      );
      expect(wholeFrames(await rest.end())).toBe(frames.slice(half + 1).join(''));
    }
  });

  test.each(FORMATS)('as %s, cut whenever something has come', async (format) => {
    const stream = await ask(format);
    const { runId } = stream;
    const acted = meanwhile?.(stream);
    const { text } = await readInPieces(stream, (lastEventId) =>
      api.follow(runId, { 'last-event-id': lastEventId }, `?format=${format}`),
    );
    await acted;
    await expectSound(format, runId, text);
  });
});
