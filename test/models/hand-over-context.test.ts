import { expect, it } from '@jest/globals';
import { expectValid } from '../support/streams/event-stream.js';
import { brokenTool, largeTool } from '../support/large-tool.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer } from '../support/models/provider-server.js';
import { isLibrarian, runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { until } from '../support/until.js';

const scene = modelScene();
const start = () =>
  scene.service(scene.models({ small: { contextWindow: 16_000 } }), {
    tools: [largeTool(60_000, 7), brokenTool],
  });

it('the librarian continues after a process is shut down, without loss or repetition', async () => {
  const librarian: string[] = [];
  const worker: string[] = [];
  scene.server.otherwise = (exchange) => {
    const text = JSON.stringify(exchange.body);
    if (isLibrarian(exchange)) {
      librarian.push(/characters (\d+) to/.exec(text)?.[1] ?? '');
      // The first request for the second part is never answered.
      if (librarian.length === 2) return;
      return answer({ text: 'Nothing of note.' })(exchange);
    }
    if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
    worker.push(text);
    const args = '{"node":"shop","part":1}';
    return worker.length === 1
      ? answer(
          { call: 'broken_probe', args: '{"node":"shop"}', id: 'a' },
          { call: 'big_read', args, id: 'b' },
        )(exchange)
      : answer({ call: 'report', args: '{"summary":"Looked at.","findings":[]}', id: 'c' })(
          exchange,
        );
  };
  const first = await start();
  const runId = await first.accept(await first.store(await scene.shop()));
  await until('the librarian waits for its second answer', () => librarian.length === 2);
  await scene.scene.stop(first);

  const again = await start();
  await again.reaches(runId, 'completed');
  const events = expectValid(await again.log(runId));
  const parts = new Set(librarian);
  expect(librarian.length).toBe(parts.size + 1);
  expect(librarian.filter((part) => part === librarian[0])).toHaveLength(1);
  expect(
    events.filter(({ data }) => data['dispatch_id'] === 'd1_1_l1').map(({ key }) => key),
  ).toEqual(['dispatch.worker', ...[...parts].map(() => 'llm.usage'), 'dispatch.report']);
  expect(worker[1]?.split('tool_fail: broken_probe error')).toHaveLength(2);
});
