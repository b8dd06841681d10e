import { describe, expect, it } from '@jest/globals';
import { issue, measured, report, SHOP } from '../../../test/support/measured-shop.js';
import { PromptFiles } from '../../prompts/prompt-files.js';
import type { TopologyNode, TopologySource } from '../topology/topology.js';
import { concludeRun } from './conclude-run.js';
import type { FailureKind } from './failure-kind.js';
import { withoutAddresses } from './step-command.js';

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
      ...{ text: 'Raise the limit.', node: 'api', access: 'change', origin: 'agent' },
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

describe('a failing answer that names a dependency', () => {
  const detail = 'connection to server failed: FATAL: remaining connection slots are reserved';
  const mentions = [{ node: 'db', endpoint: '127.0.0.1:5432', failure: detail }];
  const blaming = measured(5, 'api', [issue({ detail })], { mentions });
  const stepsWith = (db: ReturnType<typeof measured>[]) =>
    concludeRun(SHOP, [measured(4, 'web'), blaming, ...db], [], {
      nextSteps: new PromptFiles().prompts.nextSteps,
    }).report.next_steps;

  it('leads to the dependency first, if only its port was measured', () => {
    const [first, second] = stepsWith([measured(6, 'db')]);
    expect(first).toMatchObject({
      text: 'Look at DB first: API reports that DB has no free connections.',
      ...{ node: 'db', access: 'read' },
    });
    expect(second).toMatchObject({ node: 'db', access: 'read' });
  });

  it('has the steps of what it says for the dependency alone', () => {
    const looks = stepsWith([measured(6, 'db')]).filter(({ text }) => !text.startsWith('Look at'));
    const nodesOf = (pattern: RegExp) =>
      looks.filter(({ text }) => pattern.test(text)).map(({ node }) => node);
    expect(new Set(nodesOf(/connections/))).toEqual(new Set(['db']));
    expect(nodesOf(/the failing request/)).toEqual(['api']);
  });

  it('leads nowhere else if the dependency was measured itself', () => {
    const [first] = stepsWith([measured(6, 'db', [], { measures: 'service' })]);
    expect(first).toMatchObject({ node: 'api' });
  });
});

describe('a command', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const [, api, db] = SHOP.nodes as [TopologyNode, TopologyNode, TopologyNode];
  const stepsOf = (
    node: TopologyNode,
    kind: FailureKind,
    sources: TopologySource[] = [],
    title = 'is not well',
  ) =>
    concludeRun(
      { ...SHOP, nodes: [node], sources },
      [measured(5, node.id, [issue({ kind, title })])],
      [],
      {
        nextSteps,
      },
    ).report.next_steps;
  const commandsFor = (...args: Parameters<typeof stepsOf>) =>
    stepsOf(...args).flatMap(({ command }) => command ?? []);

  it.each([
    ['tcp://user:s3cret@db.internal:55432/x', 'curl -v telnet://db.internal:55432'],
    ['redis://:${secret:X}@10.0.0.7', 'curl -v telnet://10.0.0.7:6379'],
    ['[::1]:8080', 'curl -v telnet://[::1]:8080'],
  ])('has host and port of the endpoint %s', (endpoint, command) => {
    expect(commandsFor({ ...db, endpoint }, 'unreachable')).toContain(command);
  });

  it.each(['redis://$(reboot):1', 'tcp://${env:HOST}:1', undefined])(
    'that needs the address is left out with the endpoint %s, and its step is not',
    (endpoint = '') => {
      const steps = stepsOf({ ...db, endpoint }, 'unreachable');
      expect(steps.map(({ text }) => text).join()).toContain('check firewall and routes');
      expect(steps.flatMap(({ command }) => command ?? [])).toEqual([]);
    },
  );

  it.each([
    ['https://u:p@shop.example/health?token=x', 'curl -vk https://shop.example:443'],
    ['http://shop.example:8080/a b', 'curl -vk https://shop.example:8080'],
  ])('for TLS behind %s is one of TLS', (endpoint, command) => {
    const title = 'the address speaks TLS: use https://';
    expect(commandsFor({ ...api, endpoint }, 'wrong-address', [], title)).toContain(command);
  });

  it.each([
    ['https://u:p@shop.example/health?token=x', 'https://shop.example:443/health'],
    ['http://shop.example:8080/$(reboot)', 'http://shop.example:8080'],
  ])('for the redirects of %s follows them', (endpoint, url) => {
    const title = 'redirects without end (more than 5)';
    expect(commandsFor({ ...api, endpoint }, 'exception', [], title)[0]).toBe(
      `curl -sIL --max-redirs 5 ${url}`,
    );
  });

  it('has the user of a PostgreSQL, and no password', () => {
    const node = { ...db, kind: 'postgres', endpoint: 'postgres://app:s3cret@db.example/shop' };
    const commands = commandsFor(node, 'lock').join();
    expect(commands).toContain('psql postgres://app@db.example:5432/shop -c ');
    expect(commands).not.toContain('s3cret');
  });

  it('names the unit that a node selects from its journal', () => {
    const journal: TopologySource = { id: 'j', kind: 'journald', provides: ['logs'] };
    const of = (unit: string) => commandsFor({ ...api, in: { j: unit } }, 'crash', [journal]);
    expect(of('api.service').at(-1)).toBe('systemctl start api.service');
    expect(of('a\\x2db.service').at(-1)).toBe("systemctl start 'a\\x2db.service'");
    expect(of('*').join()).not.toContain('systemctl start');
  });

  it('is one of Kubernetes only for a node that runs there', () => {
    const cluster: TopologySource = { id: 'k', kind: 'kubernetes', provides: ['kubernetes'] };
    expect(commandsFor(api, 'crash-loop', [cluster]).join()).not.toContain('kubectl');
    expect(commandsFor(api, 'crash-loop', [cluster])[0]).toContain('journalctl');
    const inCluster = { ...api, in: { k: 'shop/deployment/api' } };
    expect(commandsFor(inCluster, 'crash-loop', [cluster])[0]).toBe(
      'kubectl logs -n shop deployment/api --previous',
    );
    expect(commandsFor(inCluster, 'crash-loop', [cluster]).join()).not.toContain('journalctl');
  });

  it('has no address of a node where a model reads it', () => {
    const node = { ...db, endpoint: 'tcp://10.0.0.7:55432' };
    const steps = withoutAddresses(stepsOf(node, 'unreachable'), [node]);
    expect(JSON.stringify(steps)).not.toMatch(/10\.0\.0\.7|55432/);
    expect(steps.map(({ command }) => command)).toEqual([
      "ss -ltnp 'sport = :<port>'",
      'curl -v telnet://<host>:<port>',
      undefined,
    ]);
  });
});

describe('a command about a database that only SOURCES_FILE has the address of', () => {
  const { nextSteps } = new PromptFiles().prompts;
  const ofKind = (kind: 'postgres' | 'mysql', failure: ReturnType<typeof issue>, at?: string) => {
    const node: TopologyNode = {
      ...{ id: 'db', name: 'DB', kind, dependsOn: [], attributes: {} },
      in: { listed: 'shop' },
    };
    const sources: TopologySource[] = [{ id: 'listed', kind, provides: [] }];
    const seen = measured(5, 'db', [failure], at === undefined ? {} : { target: at });
    const topology = { ...SHOP, nodes: [node], sources };
    const steps = concludeRun(topology, [seen], [], { nextSteps }).report.next_steps;
    return { steps, node, commands: steps.flatMap(({ command }) => command ?? []) };
  };
  const lock = issue({ kind: 'lock', title: 'one session waits for locks' });

  it('has where it was measured, and the database that the node selects', () => {
    const { commands, steps, node } = ofKind('postgres', lock, '10.0.0.7:5433');
    expect(commands).toHaveLength(2);
    for (const command of commands)
      expect(command).toContain('psql postgresql://10.0.0.7:5433/shop -c ');
    expect(JSON.stringify(withoutAddresses(steps, [node]))).not.toContain('10.0.0.7');
  });

  it('is one of its own programs', () => {
    const { commands, steps, node } = ofKind('mysql', lock, 'db.example:3306');
    expect(commands.map((command) => command.slice(0, 33))).toEqual([
      "mysql -h db.example -P 3306 -e 'S",
    ]);
    expect(JSON.stringify(withoutAddresses(steps, [node]))).not.toContain('db.example');
  });

  it('is left out if it was not measured, or measured at what is no address', () => {
    expect(ofKind('postgres', lock).commands).toEqual([]);
    expect(ofKind('postgres', lock, '$(reboot):1').commands).toEqual([]);
  });

  it.each([
    ['replication slot old is not used and keeps 1.2 GiB', 'disk-full', 'pg_drop_replication_slot'],
    ['web has been idle in a transaction for 77 s', 'lock', "state LIKE 'idle in transaction%'"],
    ['has no such database (3D000)', 'config', 'psql -h h -p 1 -l'],
  ] as const)('fits "%s"', (title, kind, command) => {
    const { commands } = ofKind('postgres', issue({ kind, title }), 'h:1');
    expect(commands.join()).toContain(command);
    expect(commands.join()).not.toMatch(/du -xh|git log/);
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
    /<(?!(?:host|port|url|unit|workload)>)[a-z ]+>/.test(command),
  );
  expect(unknown).toEqual([]);
});

describe('a list that ends', () => {
  const many = Array.from({ length: 27 }, (_, i): TopologyNode => {
    return { id: `n${i}`, name: `N${i}`, kind: 'service', dependsOn: [], attributes: {} };
  });
  const { nextSteps } = new PromptFiles().prompts;

  it('says of which failures it gives no steps', () => {
    const failed = many.map(({ id }, i) => measured(i + 1, id, [issue()]));
    const { report: made } = concludeRun({ ...SHOP, nodes: many }, failed, [], { nextSteps });
    const steps = made.next_steps;
    const countOf = (id: string) => steps.filter(({ node }) => node === id).length;
    const counts = many.map(({ id }) => countOf(id)).toSorted((a, b) => b - a);
    expect(counts[4]).toBeGreaterThan(1);
    expect(counts.slice(5)).toEqual([...Array<number>(20).fill(1), 0, 0]);
    expect(steps.at(-1)?.text).toMatch(
      /^2 more failures have no steps here; diagnose their nodes separately to get them: N\d+, N\d+\.$/,
    );
  });

  it('says which nodes were not checked', () => {
    const { report: made } = concludeRun({ ...SHOP, nodes: many }, [], [], { nextSteps });
    expect(made.next_steps.at(-1)?.text).toMatch(/^22 more nodes were not checked: N5, N6, /);
  });
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
    expect(stepsOf(said)).toEqual(stepsOf('parts'));
});

describe('a failure that a node reports of another host', () => {
  const nodes = SHOP.nodes.map((each) => ({
    ...each,
    endpoint: each.id === 'db' ? 'tls://tax.internal:8443' : 'http://10.0.0.7:8080/',
  }));
  const stepsOf = (said: string) =>
    concludeRun(
      { ...SHOP, nodes },
      [measured(5, 'api', [issue({ detail: `It said: "${said}".` })])],
      [],
      { nextSteps: new PromptFiles().prompts.nextSteps },
    ).report.next_steps.filter(({ node }) => node === 'api');

  it('has commands for that host', () => {
    const steps = stepsOf('tax.internal:8443 handshake failed: certificate has expired');
    expect(steps[0]?.text).toMatch(/^API reports that a certificate of another server has expired/);
    expect(steps.flatMap(({ command }) => command ?? [])).toEqual([
      'openssl s_client -connect tax.internal:8443 -servername tax.internal </dev/null | openssl x509 -noout -dates -subject -issuer',
    ]);
    expect(JSON.stringify(withoutAddresses(steps, nodes))).not.toContain('tax.internal');
    expect(stepsOf('getaddrinfo ENOTFOUND maildb')[0]?.command).toMatch(/^dig maildb; /);
  });

  it('has no command if its words name none', () => {
    for (const said of ['inventory replied too many requests', 'a certificate has expired'])
      expect(stepsOf(said).flatMap(({ command }) => command ?? [])).toEqual([]);
  });
});

it('a path that is not there is looked at first', () => {
  const missing = issue({ title: 'answers 404 Not Found', kind: 'wrong-address' });
  const nodes = SHOP.nodes.map((each) =>
    each.id === 'api' ? { ...each, endpoint: 'http://10.0.0.7:8080/ready' } : each,
  );
  const { report: made } = concludeRun({ ...SHOP, nodes }, [measured(5, 'api', [missing])], [], {
    nextSteps: new PromptFiles().prompts.nextSteps,
  });
  expect(made.next_steps[0]).toMatchObject({
    ...{ node: 'api', command: 'curl -i http://10.0.0.7:8080/ready' },
    text: expect.stringContaining('Check the path in the endpoint of API') as unknown,
  });
});

it('a step about a node that was not checked cites what tried to', () => {
  const away = measured(6, 'db', [], { status: 'unavailable' });
  const { report: made } = concludeRun(SHOP, [measured(4, 'web'), measured(5, 'api'), away], []);
  expect(made.next_steps).toMatchObject([{ node: 'db', access: 'read', evidence: [6] }]);
  expect(made.citations).toMatchObject([{ sequence: 6, node: 'db', status: 'unavailable' }]);
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
      ...{ node: 'api', access: 'read' },
    });
    expect(changes(steps)).toEqual([]);
  });

  it('keeps its steps if the change was not made, or if it was measured since', () => {
    expect(changes(stepsAfter('refused')).length).toBeGreaterThan(0);
    const [first] = stepsAfter('done', [measured(11, 'api', [issue()])]);
    expect(first?.text).not.toContain('Diagnose again');
  });
});
