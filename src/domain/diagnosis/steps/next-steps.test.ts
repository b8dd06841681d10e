import { describe, expect, it } from '@jest/globals';
import { issue, measured, report, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import type { TopologyNode } from '../../topology/topology.js';
import { concludeRun } from '../conclude-run.js';
import type { Issue } from '../tool-result.js';

const stepsFor = (nextSteps: { text: string; node?: string }[]) =>
  concludeRun(SHOP, [measured(5, 'api', [issue()])], [report([], { nextSteps })], {
    nextSteps: new PromptFiles().prompts.nextSteps,
  }).report.next_steps;

describe('a step that an agent proposes', () => {
  const proposed = (steps: { text: string; node?: string }[]) =>
    stepsFor(steps)
      .filter(({ origin }) => origin === 'agent')
      .map(({ text }) => text);

  it('is marked, has no command, and counts as a change', () => {
    expect(stepsFor([{ text: 'Raise the limit.', node: 'api' }]).at(-1)).toEqual({
      text: 'Raise the limit.',
      node: 'api',
      access: 'change',
      origin: 'agent',
    });
  });

  it('is for a node of the topology', () => {
    expect(proposed([{ text: 'Restart it.', node: 'moon' }, { text: 'Ask around.' }])).toEqual([
      'Ask around.',
    ]);
  });

  it('is for a node of which something was found, or which was not checked', () => {
    const all = [measured(4, 'web'), measured(5, 'api', [issue()])];
    const steps = ['web', 'api', 'db'].map((node) => ({ text: `Look at ${node}.`, node }));
    const { report: made } = concludeRun(SHOP, all, [report([], { nextSteps: steps })]);
    const texts = made.next_steps.filter(({ origin }) => origin === 'agent');
    expect(texts.map(({ node }) => node)).toEqual(['api', 'db']);
  });
});

describe('a step about a credential', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const [, , db] = SHOP.nodes as [TopologyNode, TopologyNode, TopologyNode];
  const textFor = (endpoint: string) => {
    const node = { ...db, endpoint };
    const refused = measured(5, 'db', [issue({ kind: 'auth', title: 'refuses the password' })]);
    const { report: made } = concludeRun({ ...SHOP, nodes: [node] }, [refused], [], { nextSteps });
    return made.next_steps[0]?.text ?? '';
  };

  it.each([
    ['redis://:${env:REDIS_PASSWORD}@h:1', 'from the environment variable REDIS_PASSWORD.'],
    ['redis://u:${file:/run/x}@h:1', 'from the file /run/x.'],
    ['redis://u:s3cret@h:1', 'from its endpoint in the topology.'],
    ['redis://h:1/${env:NAME}', 'what it is allowed to do.'],
  ])('of %s says where it comes from', (endpoint, end) => {
    expect(textFor(endpoint).endsWith(end)).toBe(true);
    expect(textFor(endpoint)).not.toContain('s3cret');
  });
});

it('the catalogue has no placeholder that stays in a command', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const commands = Object.values(nextSteps).flatMap((steps) =>
    steps.flatMap(({ command = [] }) => command),
  );
  const unknown = commands.filter((command) =>
    /<(?!(?:host|port|url|psql|mysql|nameserver|part|unit|workload|resource|name|namespace)>)[a-z ]+>/.test(
      command,
    ),
  );
  expect(unknown).toEqual([]);
});

describe('the catalogue', () => {
  it('names the node, and leaves out commands of another kind of node', () => {
    const [first] = stepsFor([]);
    expect(first).toMatchObject({ node: 'api', access: 'read', origin: 'catalogue' });
    expect(first?.text).toContain('API');
    expect(first?.evidence).toEqual([5]);
  });
});

it('the words of a target choose no steps of their own', () => {
  const stepsOf = (said: string) => {
    const says = issue({ title: `answers 200, but says it is DOWN: ${said}` });
    return concludeRun(SHOP, [measured(5, 'api', [says])], [], {
      nextSteps: new PromptFiles().prompts.nextSteps,
    }).report.next_steps;
  };
  for (const said of ['redirects without end', 'the address speaks TLS'])
    expect(stepsOf(said)).toEqual(stepsOf('some parts'));
});

it('a missing path is checked first', () => {
  const missing = issue({ kind: 'wrong-address', steps: 'no-path' });
  const nodes = SHOP.nodes.map((each) =>
    each.id === 'api' ? { ...each, endpoint: 'http://10.0.0.7:8080/ready' } : each,
  );
  const { report: made } = concludeRun({ ...SHOP, nodes }, [measured(5, 'api', [missing])], [], {
    nextSteps: new PromptFiles().prompts.nextSteps,
  });
  expect(made.next_steps[0]).toMatchObject({
    node: 'api',
    command: 'curl -i http://10.0.0.7:8080/ready',
    text: expect.stringContaining('Check the path in the endpoint of API') as unknown,
  });
});

it('a step about a node that was not checked cites what tried to', () => {
  const away = measured(6, 'db', [], { status: 'unavailable' });
  const { report: made } = concludeRun(SHOP, [measured(4, 'web'), measured(5, 'api'), away], []);
  expect(made.next_steps).toMatchObject([{ node: 'db', access: 'read', evidence: [6] }]);
  expect(made.citations).toMatchObject([{ sequence: 6, node: 'db', status: 'unavailable' }]);
});

describe('an advisory beside a root cause', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const stepsBeside = (advisory: ReturnType<typeof issue>) =>
    concludeRun(
      SHOP,
      [measured(4, 'web', [advisory]), measured(5, 'api', [issue()]), measured(6, 'db')],
      [],
      { nextSteps },
    ).report.next_steps;
  const full = issue({
    severity: 'warning',
    symptom: 'advisory',
    kind: 'disk-full',
    title: 'file system / is 92 % used',
  });

  it('has its steps after those of the root cause', () => {
    const nodes = stepsBeside(full).map(({ node }) => node);
    expect(nodes.slice(0, nodes.indexOf('web'))).toContain('api');
    expect(nodes.slice(nodes.indexOf('web'))).not.toContain('api');
    expect(stepsBeside(full).find(({ node }) => node === 'web')).toMatchObject({
      text: 'Find what fills the disk of WEB. Run the command on the machine of WEB.',
      access: 'read',
      evidence: [4],
    });
  });

  it('has none if its kind is not known, if it is information, or if the root cause explains it', () => {
    const without = [
      { ...full, kind: 'unknown' as const, title: 'is odd' },
      { ...full, severity: 'info' as const },
      { ...full, kind: 'exception' as const, symptom: 'erroring' as const },
    ];
    for (const each of without)
      expect(stepsBeside(each).filter(({ node }) => node === 'web')).toEqual([]);
  });
});

describe('other findings of a root cause', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const failing = issue({ kind: 'connection-pool-exhausted', title: 'no connection is left' });
  const stepsOf = (...others: ReturnType<typeof issue>[]) =>
    concludeRun(SHOP, [measured(5, 'api', [failing, ...others])], [], { nextSteps }).report
      .next_steps;
  const warning = { severity: 'warning', symptom: 'erroring' } as const;
  const slow = issue({ ...warning, kind: 'slow-query', title: 'a query takes 9 s' });
  const full = issue({ kind: 'disk-full', title: 'the disk is full' });
  const LOOKS = [/no connection|pool/, /fills the disk/, /queries that take the time/];

  it('have the steps of their kind after its own, the most serious first', () => {
    const texts = stepsOf(slow, full).map(({ text }) => text);
    const at = LOOKS.map((words) => texts.findIndex((text) => words.test(text)));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at).not.toContain(-1);
  });

  it('have none if they are of its kind, of no known kind, or information', () => {
    const without = [
      { ...failing, title: 'few connections are left' },
      issue({ ...warning, kind: 'unknown', title: 'is odd' }),
      { ...slow, severity: 'info' as const },
    ];
    for (const each of without) expect(stepsOf(each)).toEqual(stepsOf());
  });
});

it('a Redis that loads its data is waited for', () => {
  const loading = issue({
    kind: 'exception',
    steps: 'loading',
  });
  const nodes = SHOP.nodes.map((each) =>
    each.id === 'db' ? { ...each, kind: 'redis', endpoint: 'redis://10.0.0.7:6379' } : each,
  );
  const { report: made } = concludeRun({ ...SHOP, nodes }, [measured(5, 'db', [loading])], [], {
    nextSteps: new PromptFiles().prompts.nextSteps,
  });
  expect(made.next_steps[0]).toMatchObject({
    node: 'db',
    access: 'read',
    text: expect.stringMatching(
      /^Wait until DB has read its data, .*loading_eta_seconds/,
    ) as unknown,
    command: 'redis-cli -u redis://10.0.0.7:6379 INFO persistence | grep loading',
  });
  expect(made.next_steps.map(({ text }) => text).join()).not.toContain('failing request');
});

describe('the steps for a certificate that has expired', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const stepsAt = (endpoint: string, said: Partial<Issue> = {}) => {
    const nodes = SHOP.nodes.map((each) => (each.id === 'db' ? { ...each, endpoint } : each));
    const expired = issue({ kind: 'certificate-expired', symptom: 'invalid', ...said });
    return concludeRun({ ...SHOP, nodes }, [measured(5, 'db', [expired])], [], { nextSteps }).report
      .next_steps;
  };
  const commandsAt = (endpoint: string) =>
    stepsAt(endpoint).flatMap(({ command }) => command ?? []);

  it('renew it with certbot only at a name that a public authority knows', () => {
    expect(commandsAt('tls://shop.example.com:443')).toContain('certbot renew');
    for (const host of ['127.0.0.1', '[::1]', 'localhost', 'db', 'db.internal', 'pay.shop.svc'])
      expect(commandsAt(`tls://${host}:443`).join()).not.toContain('certbot');
  });

  it('make a new one if it is self-signed, wherever it is', () => {
    const steps = stepsAt('tls://shop.example.com:443', { steps: 'self-signed-expired' });
    expect(JSON.stringify(steps)).not.toContain('certbot');
    expect(steps.find(({ access }) => access === 'change')?.text).toMatch(/^Make a new one/);
  });
});

describe('a node that was changed after it was measured', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const repair = { node: 'api', tool: 'restart_process', text: 'API was restarted.' };
  const stepsAfter = (outcome: 'done' | 'refused', later: ReturnType<typeof measured>[] = []) => {
    const gone = issue({ title: 'no such process', symptom: 'unreachable' });
    const all = [measured(4, 'web'), measured(5, 'api', [gone]), ...later];
    const repairs = [{ ...repair, outcome, evidence: [9] }];
    return concludeRun(SHOP, all, [], { nextSteps, repairs }).report.next_steps;
  };
  const changes = (steps: ReturnType<typeof stepsAfter>) =>
    steps.filter(({ access, node }) => access === 'change' && node === 'api');

  it('is to be diagnosed again first, and not changed again', () => {
    const steps = stepsAfter('done');
    expect(steps[0]).toMatchObject({
      text: 'Diagnose again: API was changed after it was measured.',
      node: 'api',
      access: 'read',
    });
    expect(changes(steps)).toEqual([]);
  });

  it('keeps its steps if the change was not made, or if it was measured since', () => {
    expect(changes(stepsAfter('refused')).length).toBeGreaterThan(0);
    const [first] = stepsAfter('done', [measured(11, 'api', [issue()])]);
    expect(first?.text).not.toContain('Diagnose again');
  });
});
