import { expect, it } from '@jest/globals';
import { SHARED_ID, tenantScene } from '../support/tenant-scene.js';

const { runs, topologies, of, api, chat, ask: askBelowBase } = tenantScene();

const MISSING = {
  run: '01960d3c-5f2a-7cc0-8000-000000000001',
  topology: 987_654,
  talk: 'talk-nothing',
};
type Named = typeof MISSING;

interface Heard {
  status: number;
  text: string;
}

interface Operation {
  method: string;
  path: string;
}

/** Every operation of the service that names a thing in its path, or that takes a body. */
async function operations(): Promise<Operation[]> {
  const { headers } = of('globex', 'admin');
  const response = await fetch(`${api().url}/docs-json`, { headers });
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    )
    .filter(({ path, method }) => path.includes('{') || method !== 'GET');
}

/** A body with every name by which a route could look for a thing. */
const bodyOf = ({ run, topology, talk }: Named) => ({
  runId: run,
  run_id: run,
  topologyId: topology,
  topology_id: topology,
  session_id: talk,
  conversationId: talk,
  id: talk,
  threadId: talk,
  userMessage: 'x',
  message: 'help',
  content: 'help',
  question: 'help',
  title: 'mine',
  nodeId: `${talk}.1`,
  decision: 'approve',
  args_digest: 'a'.repeat(64),
  name: 'x',
  role: 'admin',
  nodes: ['shop'],
  alerts: [{ title: 'x', status: 'firing', labels: { consilium_topology: String(topology) } }],
  messages: [{ role: 'user', content: 'help', parts: [{ type: 'text', text: 'help' }] }],
});

/** The id that a path means: runs, topologies and conversations have paths of their own. */
function idIn(path: string, { run, topology, talk }: Named): string {
  if (path.includes('/topologies/')) return String(topology);
  return /conversations|trees|chat/.test(path) ? talk : run;
}

/** An answer without what the request named, what is new, and the time. */
function shape({ status, text }: Heard, named: Named): unknown {
  const known = Object.values(named).reduce<string>(
    (left, value) => left.replaceAll(String(value), '#'),
    text,
  );
  return [
    status,
    known.replace(
      /[0-9a-f]{8}-[0-9a-f-]{27}|(?:~|sess_)[0-9a-f]{12}|csk_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d+\b/g,
      '#',
    ),
  ];
}

it('answers every operation about a foreign thing as about a missing one', async () => {
  const attacker = of('globex', 'admin');
  const run = runs.find(({ tenant, chatOf }) => tenant === 'acme' && !chatOf)?.runId ?? '';
  // The other conversations have the same ids in each tenant.
  const talk = 'talk-of-acme';
  const { runId: turn } = await chat(of('acme', 'operator'), { session_id: talk });
  const topology = topologies.acme.find((id) => id !== SHARED_ID) ?? 0;
  const all = await operations();
  expect(all.length).toBeGreaterThan(40);
  const before = await seen();
  for (const { method, path } of all)
    for (const foreign of [run, turn]) {
      // One after the other: a question to the oracle cancels the one before it.
      const answers = [];
      for (const named of [{ run: foreign, topology, talk }, MISSING])
        answers.push([method, path, shape(await ask(method, path, named), named)]);
      expect(answers[0]).toEqual(answers[1]);
    }
  expect(await seen()).toEqual(before);

  async function ask(method: string, path: string, named: Named): Promise<Heard> {
    const asked = path.replace('{approvalId}', 'd1_t1').replace(/\{\w+\}/g, idIn(path, named));
    const hasBody = method !== 'GET';
    const response = await fetch(`${api().url}${asked}`, {
      method,
      headers: {
        accept: 'application/json',
        ...attacker.headers,
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(bodyOf(named)) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, text: await response.text() };
  }

  /** What the victims see of their things. */
  async function seen() {
    const victim = of('acme', 'operator');
    const paths = [
      ...[run, turn].map((id) => `/executions/${id}`),
      '/executions',
      '/topologies',
      `/topologies/${topology}`,
      `/topologies/${topology}/versions`,
      '/conversations',
      `/conversations/${talk}`,
      '/keys',
      '/schedules',
    ];
    const found = await Promise.all(paths.map((path) => askBelowBase(victim, 'GET', path)));
    return found.map(({ text }) => text);
  }
});
