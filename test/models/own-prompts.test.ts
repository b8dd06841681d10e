import { dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Report } from '../../src/domain/diagnosis/finding.js';
import { modelScene } from '../support/models/model-scene.js';
import { partsOf } from '../support/models/request-parts.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { erroring } from '../support/processes/target.js';
import { expectValid, type CheckedEvent } from '../support/streams/event-stream.js';
import { until } from '../support/until.js';

const scene = modelScene(runbookReply);

/** Writes the texts of an operator. @returns the environment of a service that uses them */
function withPrompts(files: Record<string, string>) {
  const paths = Object.entries(files).map(([name, text]) => scene.write(`prompts/${name}`, text));
  return { ...scene.models({ planner: {} }), PROMPTS_DIR: dirname(paths[0] as string) };
}

it('the texts of PROMPTS_DIR reach models, reports and the list of texts, the others are as shipped', async () => {
  const api = await scene.service(
    withPrompts({
      'worker.md': 'You examine one node of the harbour. Use its tools, and call `report`.',
      'tools.yaml': 'http_probe: Knocks at the door of a service.',
      'next-steps.yaml':
        'exception:\n  - look: Ask the harbour master about {node}.\n    command: curl -i <url>\n',
    }),
  );
  const events = await scene.diagnose(api, await scene.shop({}, erroring));

  const asked = (role: string) =>
    partsOf(scene.server.exchanges.find((exchange) => roleOf(exchange) === role)).own;
  expect(asked('worker')).toContain('You examine one node of the harbour.');
  expect(asked('worker')).not.toContain('You are a worker of Consilium');
  expect(asked('worker')).toContain('Knocks at the door of a service.');
  expect(asked('team_supervisor')).toContain('You lead a team of Consilium');

  const report = events.at(-1)?.data['report'] as unknown as Report;
  expect(report.root_causes).toMatchObject([{ node: 'shop', kind: 'exception' }]);
  expect(report.next_steps?.[0]).toMatchObject({
    text: 'Ask the harbour master about The shop.',
    access: 'read',
    command: expect.stringMatching(/^curl -i http:/),
  });

  const { data } = await api.ask<{ items: { name: string; origin: string }[] }>('GET', '/prompts');
  const own = data.items.flatMap(({ name, origin }) => (origin === 'user' ? [name] : []));
  expect(own).toEqual(['worker.md', 'tools.yaml', 'next-steps.yaml']);
});

it('a run that goes on in a process with other texts keeps all of those that it began with', async () => {
  const textsOf = (word: string) =>
    withPrompts({
      'worker.md': `You examine one node of the ${word}. Use its tools, and call \`report\`.`,
      'tools.yaml': `http_probe: Knocks at the ${word}.`,
      'next-steps.yaml': `exception:\n  - look: Ask the ${word} about {node}.\n`,
    });
  const asked: string[] = [];
  scene.server.otherwise = (exchange) => {
    if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
    // The first request of the worker is never answered.
    if (asked.push(JSON.stringify(exchange.body)) > 1) return runbookReply(exchange);
  };
  const first = await scene.service(textsOf('harbour'));
  const topology = await first.store(await scene.shop({}, erroring));
  const runId = await first.accept(topology);
  await until('the worker waits for its model', () => asked.length === 1);
  await scene.scene.stop(first);

  const again = await scene.service(textsOf('station'));
  await again.reaches(runId, 'completed');
  const nextStep = (events: readonly CheckedEvent[]) =>
    (events.at(-1)?.data['report'] as unknown as Report).next_steps?.[0]?.text;
  expect(nextStep(expectValid(await again.log(runId)))).toBe('Ask the harbour about The shop.');
  expect(asked.length).toBeGreaterThan(1);
  for (const text of asked) {
    expect(text).toContain('one node of the harbour');
    expect(text).toContain('Knocks at the harbour.');
    expect(text).not.toContain('station');
  }
  const newer = await again.trigger(topology);
  expect(nextStep(expectValid((await newer.end()).text))).toBe('Ask the station about The shop.');
  expect(asked.at(-1)).toContain('Knocks at the station.');
});

it('a service does not start with texts that cannot be used, and says where they are wrong', async () => {
  const env = withPrompts({ 'workers.md': 'You work.', 'tools.yaml': 'http_prob: Knocks.' });
  const started = scene.scene.process(env);
  await expect(started).rejects.toThrow(/workers\.md: is no text of an agent/);
  await expect(started).rejects.toThrow(/tools\.yaml/);
});
