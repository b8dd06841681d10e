import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import type { TopologyNode, TopologySource } from '../../topology/topology.js';
import { concludeRun } from '../conclude-run.js';
import type { FailureKind } from '../failure-kind.js';
import type { Issue } from '../tool-result.js';
import { placed, stepWords, withoutAddresses } from './step-command.js';

const { nextSteps } = new PromptFiles().prompts;

describe('a command', () => {
  const [, api, db] = SHOP.nodes as [TopologyNode, TopologyNode, TopologyNode];
  const stepsOf = (
    node: TopologyNode,
    kind: FailureKind,
    sources: TopologySource[] = [],
    said: Partial<Issue> = {},
  ) =>
    concludeRun(
      { ...SHOP, nodes: [node], sources },
      [measured(5, node.id, [issue({ kind, ...said })])],
      [],
      {
        nextSteps,
      },
    ).report.next_steps;
  const commandsFor = (...args: Parameters<typeof stepsOf>) =>
    stepsOf(...args).flatMap(({ command }) => command ?? []);

  it.each([
    ['tcp://user:s3cret@db.internal:55432/x', 'curl -v -m 5 telnet://db.internal:55432'],
    ['redis://:${secret:X}@10.0.0.7', 'curl -v -m 5 telnet://10.0.0.7:6379'],
    ['[::1]:8080', 'curl -v -m 5 telnet://[::1]:8080'],
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
    const steps = { steps: 'tls' };
    expect(commandsFor({ ...api, endpoint }, 'wrong-address', [], steps)).toContain(command);
  });

  it.each([
    ['https://u:p@shop.example/health?token=x', 'https://shop.example:443/health'],
    ['http://shop.example:8080/$(reboot)', 'http://shop.example:8080'],
  ])('for the redirects of %s follows them', (endpoint, url) => {
    const steps = { steps: 'redirect-loop' };
    expect(commandsFor({ ...api, endpoint }, 'exception', [], steps)[0]).toBe(
      `curl -sIL --max-redirs 5 ${url}`,
    );
  });

  it('about a Redis that does not answer asks its machine, not the Redis', () => {
    const node = { ...db, kind: 'redis', endpoint: 'redis://10.0.0.7:6379' };
    const commands = commandsFor(node, 'timeout');
    expect(commands[0]).toContain("ss -Hltnp 'sport = :6379'");
    expect(commands[1]).toBe('vmstat 1 3');
    expect(commands.join()).not.toContain('redis-cli');
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
      'curl -v -m 5 telnet://<host>:<port>',
      undefined,
    ]);
    const name = {
      ...node,
      kind: 'dns',
      endpoint: 'shop.example',
      attributes: { server: '[::7]:5353' },
    };
    const [look] = withoutAddresses(stepsOf(name, 'dns'), [name]);
    expect(look?.command).toBe('dig @<host> -p <port> <host>');
  });
});

describe('a command that reads the machine that it runs on', () => {
  const service = { id: 'app', name: 'App', kind: 'service', dependsOn: [], attributes: {} };

  it.each([
    'df -h; findmnt --real',
    'systemctl status app --no-pager',
    'echo 1; ss -s',
    'certbot certificates; journalctl -u certbot -n 50',
    'grep -r nr_throttled /sys/fs/cgroup',
  ])('is to be run there: %s', (command) => {
    expect(stepWords('Look.', placed(service, []), command)).toBe(
      'Look. Run the command on the machine of App.',
    );
    expect(stepWords('Look.', placed({ ...service, kind: 'host' }, []), command)).toBe(
      'Look. Run the command on App.',
    );
  });

  it('is to be run in the repository if it asks git', () => {
    const command = "git log -10 --format='%ci %h %s'";
    expect(stepWords('Look.', placed(service, []), command)).toBe(
      'Look. Run the command in the repository of App.',
    );
  });

  it.each(['kubectl top pod -A | head', 'redis-cli -u redis://df INFO', 'curl http://ss/', ''])(
    'may be run anywhere: %s',
    (command) => {
      expect(stepWords('Look.', placed(service, []), command)).toBe('Look.');
    },
  );
});

describe('a command for a node with a password', () => {
  const wordsFor = (endpoint: string, command: (url: string) => string) => {
    const at = placed(
      { id: 'c', name: 'C', kind: 'redis', dependsOn: [], attributes: {}, endpoint },
      [],
    );
    return stepWords('Look.', at, command(at.values['url'] ?? ''));
  };
  const redisCli = (url: string) => `redis-cli -u ${url} INFO`;

  it('says that it leaves the password out', () => {
    const words = wordsFor('redis://:s3cret@h:1', redisCli);
    expect(words).toBe('Look. The command leaves out the password: add it (--askpass).');
    expect(wordsFor('http://u:s3cret@h:1', (url) => `curl -i ${url}`)).toContain('(-u USER)');
  });

  it('says nothing if it needs none, or asks for it itself', () => {
    expect(wordsFor('redis://h:1', redisCli)).toBe('Look.');
    expect(wordsFor('postgres://u:s3cret@h:1', (url) => `psql ${url}`)).toBe('Look.');
    expect(wordsFor('redis://:s3cret@h:1', () => 'vmstat 1 3')).not.toContain('password');
  });
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
      { nextSteps },
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

  it('is about the credential that the node sends', () => {
    for (const said of ['redis: WRONGPASS invalid username-password pair', 'access denied']) {
      const texts = stepsOf(said).map(({ text }) => text);
      expect(texts[0]).toMatch(
        /^API reports that a server refuses its credential: check which one API sends/,
      );
      expect(texts.join()).not.toContain('the clients of API');
    }
  });

  it('is about the memory of the Redis that refuses', () => {
    const [first] = stepsOf("OOM command not allowed when used memory > 'maxmemory'.");
    expect(first?.text).toMatch(/^API reports that a Redis that it uses has no memory left/);
  });

  it('has no command if its words name none', () => {
    for (const said of ['inventory replied too many requests', 'a certificate has expired'])
      expect(stepsOf(said).flatMap(({ command }) => command ?? [])).toEqual([]);
  });
});
