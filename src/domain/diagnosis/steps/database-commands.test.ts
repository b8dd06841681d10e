import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import type { TopologyNode, TopologySource } from '../../topology/topology.js';
import { concludeRun } from '../conclude-run.js';
import { issuesOf } from '../issues/issues-of.js';
import type { Issue } from '../tool-result.js';
import { withoutAddresses } from './step-command.js';

const { nextSteps } = new PromptFiles().prompts;

describe('a command about a database that only SOURCES_FILE has the address of', () => {
  const ofKind = (
    kind: 'postgres' | 'mysql',
    failure: ReturnType<typeof issue>,
    at?: string,
    over: Parameters<typeof measured>[3] = {},
  ) => {
    const node: TopologyNode = {
      id: 'db',
      name: 'DB',
      kind,
      dependsOn: [],
      attributes: {},
      in: { listed: 'shop' },
    };
    const sources: TopologySource[] = [{ id: 'listed', kind, provides: [] }];
    const seen = measured(5, 'db', [failure], { ...over, ...(at !== undefined && { target: at }) });
    const topology = { ...SHOP, nodes: [node], sources };
    const steps = concludeRun(topology, [seen], [], { nextSteps }).report.next_steps;
    return { steps, node, commands: steps.flatMap(({ command }) => command ?? []) };
  };
  const lock = issue({ kind: 'lock', title: 'one session waits for locks' });

  it('has the address, the user and the database that were measured', () => {
    const { commands, steps, node } = ofKind('postgres', lock, 'consilium@10.0.0.7:5433/shop');
    expect(commands.map((command) => command.slice(0, 46))).toEqual([
      'psql postgresql://consilium@10.0.0.7:5433/shop',
      'psql postgresql://ADMIN@10.0.0.7:5433/shop -c ',
    ]);
    expect(JSON.stringify(withoutAddresses(steps, [node]))).not.toContain('10.0.0.7');
  });

  it('is one of its own programs', () => {
    const { commands, steps, node } = ofKind('mysql', lock, 'consilium@db.example:3306/shop');
    expect(commands.map((command) => command.slice(0, 49))).toEqual([
      "mysql -h db.example -P 3306 -u consilium -p -e 'S",
      "mysql -h db.example -P 3306 -u ADMIN -p -e 'KILL ",
    ]);
    expect(JSON.stringify(withoutAddresses(steps, [node]))).not.toContain('db.example');
  });

  it('signs in as an administrator if the user may not see all', () => {
    const hidden = 'The user is no member of pg_monitor.';
    const { commands, steps } = ofKind('postgres', lock, 'weak@10.0.0.7:5433/shop', { hidden });
    expect(commands).toHaveLength(2);
    for (const command of commands)
      expect(command).toContain('psql postgresql://ADMIN@10.0.0.7:5433/shop');
    expect(steps[0]?.text).toContain('ADMIN stands for the user name of an administrator.');
  });

  it('is left out if it was not measured, or measured at what is no address', () => {
    expect(ofKind('postgres', lock).commands).toEqual([]);
    expect(ofKind('postgres', lock, '$(reboot):1').commands).toEqual([]);
    expect(ofKind('postgres', lock, '$(reboot)@h:1/$(reboot)').commands.join()).not.toContain('$(');
  });

  it('drops no slot that is not named as PostgreSQL names slots', () => {
    const part = "a'); DROP TABLE x; --";
    const [slot = issue()] = issuesOf({
      issues: [{ ...issue({ kind: 'disk-full', steps: 'replication-slot', part }) }],
    });
    const { commands } = ofKind('postgres', slot, 'u@h:1');
    expect(commands.join()).toContain('pg_replication_slots');
    expect(commands.join()).not.toMatch(/drop/i);
  });

  it.each([
    [{ kind: 'disk-full', steps: 'replication-slot', part: 'old' }, "drop_replication_slot('old')"],
    [{ kind: 'lock', steps: 'idle-transaction', part: '7' }, 'terminate_backend(7)'],
    [{ kind: 'config', steps: 'autovacuum-off' }, 'ALTER SYSTEM SET autovacuum = on'],
    [{ kind: 'config', steps: 'no-database' }, 'psql -h h -p 1 -U u -l'],
  ] as const)('fits %j', (said, command) => {
    const { commands } = ofKind('postgres', issue(said), 'u@h:1');
    expect(commands.join()).toContain(command);
    expect(commands.join()).not.toMatch(/du -xh|git log/);
  });
});

describe('the steps for a session that others wait for', () => {
  const waiting = { kind: 'lock', part: '2359', title: '2 sessions wait for locks' } as const;
  const stepsAt = (endpoint: string, kind: string, said: Partial<Issue> = waiting) => {
    const node: TopologyNode = {
      id: 'db',
      name: 'DB',
      kind,
      endpoint,
      dependsOn: [],
      attributes: {},
    };
    const seen = measured(5, 'db', [issue(said)]);
    const { report } = concludeRun({ ...SHOP, nodes: [node] }, [seen], [], { nextSteps });
    return report.next_steps.map(({ access, command }) => [access, command]);
  };

  it.each([
    ['postgres://app:s3cret@db.example/shop', 'postgres'],
    ['mysql://app:s3cret@db.example/shop', 'mysql'],
  ])('show it, then end it: %s', (endpoint, kind) => {
    const [end, where] = {
      postgres: ['SELECT pg_terminate_backend(2359)', 'pid = 2359'],
      mysql: ['KILL 2359', 'p.id = 2359'],
    }[kind] as [string, string];
    expect(stepsAt(endpoint, kind)).toEqual([
      ['read', expect.stringContaining(`WHERE ${where}`)],
      ['change', expect.stringContaining(end)],
    ]);
    expect(JSON.stringify(stepsAt(endpoint, kind))).not.toContain('s3cret');
  });

  it('name no session that only a title names', () => {
    const said = { kind: 'lock', title: 'session 1 holds a lock' } as const;
    expect(JSON.stringify(stepsAt('postgres://db.example', 'postgres', said))).not.toMatch(
      /terminate_backend\(\d|pid = \d/,
    );
  });
});

describe('a step that changes a database', () => {
  const stepsAt = (kind: string, failure: Parameters<typeof issue>[0], endpoint: string) => {
    const node: TopologyNode = {
      id: 'db',
      name: 'DB',
      kind,
      endpoint,
      dependsOn: [],
      attributes: {},
    };
    const seen = measured(5, 'db', [issue(failure)]);
    return concludeRun({ ...SHOP, nodes: [node] }, [seen], [], { nextSteps }).report.next_steps;
  };
  const changesAt = (...args: Parameters<typeof stepsAt>) =>
    stepsAt(...args).filter(({ access, command }) => access === 'change' && command !== undefined);

  it.each([
    ['postgres', 'postgres://consilium@h/shop', 'psql postgres://ADMIN@h:5432/shop -c'],
    ['postgres', 'postgres://h/shop', 'psql postgres://ADMIN@h:5432/shop -c'],
    ['mysql', 'mysql://consilium@h/shop', 'mysql -h h -P 3306 -u ADMIN -p -e'],
  ])('signs in as an administrator: %s %s', (kind, endpoint, command) => {
    const [change] = changesAt(kind, { kind: 'lock', part: '7' }, endpoint);
    expect(change?.command).toContain(command);
    expect(change?.text).toMatch(/\. ADMIN stands for the user name of an administrator\.$/);
  });

  it('does not sign in as the user that was refused', () => {
    const refused = { symptom: 'invalid', kind: 'auth', title: 'refuses the credential' } as const;
    const [look] = stepsAt('postgres', refused, 'postgres://consilium@h/shop');
    expect(look?.command).toContain('psql -h h -p 5432 -U ADMIN ');
    expect(look?.text).toContain('ADMIN stands for the user name of an administrator.');
  });

  it('says so of a Redis, too, whose credential is not one of an administrator', () => {
    const full = { kind: 'out-of-memory', title: 'used memory is at its limit' } as const;
    const [change] = changesAt('redis', full, 'redis://consilium:s3cret@h');
    expect(change?.text).toMatch(/add that of an administrator \(--user ADMIN --askpass\)\.$/);
    const [look] = stepsAt('redis', full, 'redis://consilium:s3cret@h');
    expect(look?.text).toMatch(/\(--askpass\)\.$/);
  });

  it.each([
    { kind: 'lock' },
    { kind: 'lock', steps: 'idle-transaction' },
    { kind: 'connection-pool-exhausted' },
  ] as const)('ends one session, which another step lists: %j', (failure) => {
    for (const [kind, list, end] of [
      ['postgres', / pid, /, 'SELECT pg_terminate_backend(PID)'],
      ['mysql', /processlist|trx_mysql_thread_id/, 'KILL PID'],
    ] as const) {
      const node = `${kind}://h/shop`;
      const [change] = changesAt(kind, failure, node);
      expect(change?.command).toContain(end);
      expect(change?.text).toContain('PID stands for the id of that session');
      const looks = stepsAt(kind, failure, node).flatMap(({ access, command }) =>
        access === 'read' ? (command ?? []) : [],
      );
      expect(looks.join()).toMatch(list);
    }
  });
});

it('no command of the catalogue ends sessions that it chooses itself', () => {
  const commands = Object.values(nextSteps).flatMap((steps) =>
    steps.flatMap(({ command = [] }) => command),
  );
  expect(
    commands.filter((each) => /pg_(?:terminate|cancel)_backend\((?!<part>|PID)/.test(each)),
  ).toEqual([]);
});
