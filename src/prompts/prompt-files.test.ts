import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsiliumError } from '../domain/errors.js';
import { SYMPTOMS } from '../domain/diagnosis/finding.js';
import { FAILURE_KINDS } from '../domain/diagnosis/failure-kind.js';
import { ORACLE_TOOLS } from '../agents/roles/oracle/oracle-tools.js';
import { CONTROL_TOOLS } from '../agents/runtime/control-tools.js';
import { diagnosticTools } from '../tools/tools.js';
import { PromptFiles } from './prompt-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'consilium-prompts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** What is wrong with the files of the folder. */
function faultsIn(): string[] {
  try {
    new PromptFiles(folder);
    return [];
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    return (error.options.faults ?? []).map(
      ({ path, message }) => `${path.replace(`${folder}/`, '')}: ${message}`,
    );
  }
}

/** The kinds of failure that the wire contract lists. */
function kindsOfContract(): string[] {
  const contract = readFileSync(
    new URL('../../test/contract/CONTRACT.md', import.meta.url),
    'utf8',
  );
  const [, list = ''] =
    /^`kind` of a root cause is one of the kinds of failure below.*\n((?:`.*\n)+)/m.exec(
      contract,
    ) ?? [];
  return [...list.matchAll(/`([^`]+)`/g)].map(([, kind = '']) => kind);
}

describe('the shipped texts', () => {
  const { prompts } = new PromptFiles();

  it('describe every tool', () => {
    const names = [
      ...diagnosticTools.map(({ name }) => name),
      ...Object.keys({ ...ORACLE_TOOLS, ...CONTROL_TOOLS }),
      'remind_self',
      'read_result',
    ];
    expect(Object.keys(prompts.tools).toSorted()).toEqual(names.toSorted());
  });

  it.each(['definitions', 'oracle'] as const)('define every severity and symptom: %s', (name) => {
    for (const word of ['critical', 'warning', 'info', ...SYMPTOMS])
      expect(prompts.texts[name]).toContain(`\`${word}\`,`);
  });

  it.each(['worker', 'team-supervisor', 'global-supervisor', 'oracle'] as const)(
    'ask what changed: %s',
    (name) => expect(prompts.texts[name]).toContain('Ask what changed'),
  );

  it('have next steps for every kind of failure, and for failures without a kind of their own', () => {
    expect(Object.keys(prompts.nextSteps).toSorted()).toEqual(
      [
        ...FAILURE_KINDS,
        'autovacuum-off',
        'blocked-host',
        'captive-portal',
        'client-certificate',
        'failed-snapshot',
        'host-not-served',
        'proxy-login',
        'request-too-large',
        'restarting-database',
        'tls-refused',
        'timeout-of-another',
        'volume-of-another',
        'certificate',
        'gateway',
        'idle-transaction',
        'loading',
        'name-server',
        'no-database',
        'no-database-of-rabbitmq',
        'no-path',
        'no-pods',
        'no-workload',
        'unready-pods',
        'clock',
        'init-container',
        'missing-config',
        'broken-rule',
        'nginx-connections',
        'nginx-closes',
        'dropped-alerts',
        'refused-configuration',
        'waiting-container',
        'no-storage-class',
        'unbound-claim',
        'disk-full-of-kubernetes-node',
        'memory-of-kubernetes-node',
        'capacity-of-kubernetes-node',
        'infrastructure-of-kubernetes-node',
        'out-of-memory-of-redis',
        'out-of-memory-of-rabbitmq',
        'probe-port',
        'quota',
        'quota-of-provider',
        'statement-timeout',
        'webhook',
        'redirect-loop',
        'replication-slot',
        'self-signed-expired',
        'tls',
        'certificate-not-valid-yet',
        'replica',
        'unreachable-of-another',
        'unhealthy-part',
        'slow-name',
        'wrong-record',
        'connection-pool-exhausted-of-redis',
        'connection-pool-exhausted-of-service',
        'connection-pool-exhausted-of-workload',
        'auth-of-another',
        'certificate-expired-of-another',
        'dns-of-another',
        'out-of-memory-of-another',
        'rate-limited-of-another',
      ].toSorted(),
    );
    for (const steps of Object.values(prompts.nextSteps)) expect(steps.length).toBeGreaterThan(0);
  });

  it('have for every kind of failure of the contract what to look at and what to change', () => {
    const kinds = kindsOfContract();
    expect(kinds.length).toBeGreaterThan(40);
    expect(kinds.toSorted()).toEqual(FAILURE_KINDS.filter((kind) => kind !== 'unknown').toSorted());
    for (const kind of kinds) {
      const steps = prompts.nextSteps[kind] ?? [];
      expect([kind, steps.some(({ look }) => look), steps.some(({ change }) => change)]).toEqual([
        kind,
        true,
        true,
      ]);
    }
  });

  it('have a command for every kind of failure that a command can show', () => {
    const without = FAILURE_KINDS.filter(
      (kind) => !prompts.nextSteps[kind]?.some(({ command = [] }) => command.length > 0),
    );
    // What retries, and what a provider or a region does, is seen in telemetry and on status pages.
    expect(without).toEqual(['retry-storm', 'provider-outage', 'region']);
  });
});

describe("an operator's folder", () => {
  it('replaces whole texts, and single entries of the lists', () => {
    write('README.md', 'Why we changed this.');
    write('worker.md', 'You look at one node.\n');
    write('tools.yaml', 'tcp_probe: Knocks.\n');
    write('next-steps.yaml', 'crash:\n  - look: Ask the team of {node}.\n');
    const { prompts, files } = new PromptFiles(folder);
    const shipped = new PromptFiles();
    expect(prompts.texts).toEqual({
      ...shipped.prompts.texts,
      worker: 'You look at one node.\n',
    });
    expect(prompts.tools).toEqual({ ...shipped.prompts.tools, tcp_probe: 'Knocks.' });
    expect(prompts.nextSteps['crash']).toEqual([{ look: 'Ask the team of {node}.' }]);
    expect(prompts.nextSteps['dns']).toEqual(shipped.prompts.nextSteps['dns']);
    const own = files.filter(({ origin }) => origin === 'user').map(({ name }) => name);
    expect(own).toEqual(['worker.md', 'tools.yaml', 'next-steps.yaml']);
    const changed = files.filter(({ digest }, i) => digest !== shipped.files[i]?.digest);
    expect(changed.map(({ name }) => name)).toEqual(own);
  });

  it('is refused with every fault, its file and its line', () => {
    write('oracle.md', ' \n');
    write('workers.md', 'You look.');
    write('rules.yaml', '');
    write('tools.yaml', '# one\ntcp_probes: Knocks.\nhttp_probe:\n');
    write('next-steps.yaml', 'crash:\n  - look: Look.\n    change: Change.\n  - see: x\n');
    expect(faultsIn()).toEqual([
      'oracle.md: is empty',
      expect.stringMatching(/^workers\.md: is no text of an agent; .*worker/),
      expect.stringMatching(/^next-steps\.yaml:2 crash\[0\]: must have either `look` or `change`$/),
      expect.stringMatching(/^next-steps\.yaml:4 crash\[1\]\.see: unknown key/),
      'next-steps.yaml:4 crash[1]: must have either `look` or `change`',
      expect.stringMatching(/^rules\.yaml: is not read/),
      expect.stringMatching(/^tools\.yaml:3 http_probe: must be a text$/),
    ]);
    write('tools.yaml', 'tcp_probes: Knocks.\n');
    expect(faultsIn()).toContainEqual(
      expect.stringMatching(
        /^tools\.yaml:1 tcp_probes: is not an entry of the shipped file; .*tcp_probe/,
      ),
    );
    write('tools.yaml', 'a: "x');
    expect(faultsIn()).toContainEqual(expect.stringMatching(/^tools\.yaml:1: is not YAML here/));
  });
});
