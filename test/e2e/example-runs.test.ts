import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Api } from '../support/api.js';
import { encodeLog, framesOf } from '../support/encode.js';
import { EventStream } from '../support/event-stream.js';
import { expectProtocol, type Ending } from '../support/expect-protocol.js';
import { closedPort } from '../support/loopback.js';
import { ModelScene } from '../support/model-scene.js';
import { silence } from '../support/provider-server.js';
import { readInPieces, wholeFrames } from '../support/read-in-pieces.js';
import { Scene } from '../support/scene.js';
import { scriptedAgents } from '../support/scripted-agents.js';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const FILES = [
  ...readdirSync(join(EXAMPLES, 'topologies')).map((file) => join('topologies', file)),
  join('playground', 'topology.yaml'),
].filter((file) => file.endsWith('.yaml'));

/** Services on which the run of an example completes, hangs once its workers have started, and fails because its log is full. */
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

describe.each(FILES)('%s', (file) => {
  const { id: topologyId } = parse(
    readFileSync(join(EXAMPLES, file), 'utf8').replace(/\$\{\w+_PORT\}/g, '1'),
  ) as { id: number };

  describe.each(['ag-ui', 'ai-sdk'] as const)('as %s', (format) => {
    const start = (api: Api) =>
      EventStream.open(api.at(`/executions/trigger?format=${format}`), {
        method: 'POST',
        body: { topologyId, userMessage: 'Why is it slow?' },
      });

    /** Expects the client's result to equal the log, and the protocol to accept it. */
    async function expectSound(
      api: Api,
      runId: string,
      text: string,
      ending: Ending,
    ): Promise<void> {
      await expectProtocol[format](text, ending);
      const { log } = await (await api.follow(runId)).end();
      expect(text).toBe(encodeLog(format, framesOf(log)));
    }

    test('live', async () => {
      const stream = await (await start(services.well)).end();
      await expectSound(services.well, stream.runId, wholeFrames(stream), 'completed');
    });

    test('cut after every chunk and resumed', async () => {
      const { well } = services;
      const stream = await start(well);
      const { runId } = stream;
      const resume = (lastEventId: string) =>
        well.follow(runId, { 'last-event-id': lastEventId }, `?format=${format}`);
      const { text, cuts } = await readInPieces(stream, resume);
      expect(cuts).toBeGreaterThan(0);
      await expectSound(well, runId, text, 'completed');
    });

    test('cancelled while its workers run', async () => {
      const { stuck } = services;
      const stream = await start(stuck);
      await stream.has(format === 'ag-ui' ? '"parentSubagentRunId"' : '"parent":"d1"');
      await stuck.cancel(stream.runId);
      await expectSound(stuck, stream.runId, wholeFrames(await stream.end()), 'cancelled');
    });

    test('failed half-way', async () => {
      const stream = await (await start(services.short)).end();
      await expectSound(services.short, stream.runId, wholeFrames(stream), 'failed');
    });
  });
});
