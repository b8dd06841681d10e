import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Api } from '../../support/api.js';
import { encodeLog, framesOf } from '../../support/streams/encode.js';
import { EventStream } from '../../support/streams/event-stream.js';
import { expectProtocol, type Ending } from '../../support/streams/expect-protocol.js';
import { closedPort } from '../../support/loopback.js';
import { ModelScene } from '../../support/models/model-scene.js';
import { silence } from '../../support/models/provider-server.js';
import { readInPieces, wholeFrames } from '../../support/streams/read-in-pieces.js';
import { Scene } from '../../support/scene.js';
import { scriptedAgents } from '../../support/models/scripted-agents.js';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const FILES = [
  ...readdirSync(join(EXAMPLES, 'topologies')).map((file) => join('topologies', file)),
  join('playground', 'topology.yaml'),
].filter((file) => file.endsWith('.yaml'));

/**
 * Services on which the run of an example completes, hangs once its workers have started, and fails
 * because its log is full.
 */
let services: Record<'well' | 'stuck' | 'short', Api>;
const model = new ModelScene();
const scenes: Scene[] = [];
beforeAll(async () => {
  await model.open(scriptedAgents({ worker: [silence] }));
  const serviceOf = async (env: Record<string, string>) => {
    const scene = new Scene();
    scenes.push(scene);
    return scene.service(env);
  };
  services = {
    well: await serviceOf({}),
    stuck: await model.service(model.hosted()),
    short: await serviceOf({ LOG_MAX_EVENTS: '16' }),
  };
  const port = String(await closedPort());
  for (const file of FILES) {
    const topology = parse(
      readFileSync(join(EXAMPLES, file), 'utf8').replace(/\$\{\w+_PORT\}/g, port),
    ) as { id: number };
    for (const api of Object.values(services)) await api.store(topology);
  }
});
afterAll(async () => {
  await Promise.all([...scenes, model].map((scene) => scene.close()));
});

const FORMATS = ['ag-ui', 'ai-sdk'] as const;
type Format = (typeof FORMATS)[number];

describe.each(FILES)('%s', (file) => {
  const { id: topologyId } = parse(
    readFileSync(join(EXAMPLES, file), 'utf8').replace(/\$\{\w+_PORT\}/g, '1'),
  ) as { id: number };
  // Each of the two formats answers the POST of every second example.
  const [asked, other] = FILES.indexOf(file) % 2 === 0 ? FORMATS : FORMATS.toReversed();

  /** Starts a run and follows it in both formats. */
  async function start(api: Api): Promise<{ runId: string; streams: [Format, EventStream][] }> {
    const first = await EventStream.open(api.at(`/executions/trigger?format=${asked}`), {
      method: 'POST',
      body: { topologyId, userMessage: 'Why is it slow?' },
    });
    const { runId } = first;
    const second = await api.follow(runId, {}, `?format=${other}`);
    return {
      runId,
      streams: [
        [asked, first],
        [other, second],
      ],
    };
  }

  /** Expects the client's result to equal the log, and the protocol to accept it. */
  async function expectSound(
    api: Api,
    runId: string,
    texts: [Format, string][],
    ending: Ending,
  ): Promise<void> {
    const { log } = await (await api.follow(runId)).end();
    for (const [format, text] of texts) {
      await expectProtocol[format](text, ending);
      expect(text).toBe(encodeLog(format, framesOf(log)));
    }
  }

  const wholeTexts = (streams: [Format, EventStream][]) =>
    Promise.all(
      streams.map(async ([format, stream]): Promise<[Format, string]> => [
        format,
        wholeFrames(await stream.end()),
      ]),
    );

  test('live', async () => {
    const { runId, streams } = await start(services.well);
    await expectSound(services.well, runId, await wholeTexts(streams), 'completed');
  });

  test('cut after every chunk and resumed', async () => {
    const { well } = services;
    const { runId, streams } = await start(well);
    const read = await Promise.all(
      streams.map(async ([format, stream]): Promise<[Format, string]> => {
        const { text, cuts } = await readInPieces(stream, (lastEventId) =>
          well.follow(runId, { 'last-event-id': lastEventId }, `?format=${format}`),
        );
        expect(cuts).toBeGreaterThan(0);
        return [format, text];
      }),
    );
    await expectSound(well, runId, read, 'completed');
  });

  test('cancelled while its workers run', async () => {
    const { stuck } = services;
    const { runId, streams } = await start(stuck);
    for (const [format, stream] of streams)
      await stream.has(format === 'ag-ui' ? '"parentSubagentRunId"' : '"parent":"d1"');
    await stuck.cancel(runId);
    await expectSound(stuck, runId, await wholeTexts(streams), 'cancelled');
  });

  test('failed half-way', async () => {
    const { runId, streams } = await start(services.short);
    await expectSound(services.short, runId, await wholeTexts(streams), 'failed');
  });
});
