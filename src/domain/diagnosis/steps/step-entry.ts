import type { NextStepCatalogue } from '../../prompt/prompts.js';
import type { FailureKind } from '../failure-kind.js';
import type { RootCause } from '../finding.js';
import type { CommandTarget } from './command-target.js';
import { ownWords } from '../wording.js';

/**
 * Entries of the catalogue for failures that their title tells from others of their kind. The words
 * are those of our tools.
 */
const BY_TITLE: readonly [words: RegExp, entry: string, kind?: FailureKind][] = [
  [/^(?:.*: )?answers 404\b/, 'no-path'],
  [/^(?:.*: )?answers 2\d\d$/, 'unhealthy-part', 'exception'],
  // What logs that it cannot connect runs itself.
  [/\b(?:new|surging) (?:error|warning) since [\d:]+: /, 'unreachable-of-another', 'unreachable'],
  [/demands? credentials: look at those that/, 'auth-of-another', 'auth'],
  [
    /the name server (?:failed|refuses|sent|does not)|no name server listens|no answer to \S+ in time/,
    'name-server',
    'dns',
  ],
  [/^(?:.*: )?name resolves in \d/, 'slow-name', 'latency'],
  [/ does not resolve to \S/, 'wrong-record'],
  [/redirects without end/, 'redirect-loop'],
  [/still loading its data/, 'loading'],
  [/self-signed certificate of .* (?:expired on|ends in) /, 'self-signed-expired'],
  [/\bcertificate of .* is not valid yet/, 'certificate-not-valid-yet'],
  [
    /\bcertificate of .* (?:is self-signed|has no trusted issuer|is not for) /,
    'certificate',
    'config',
  ],
  [/the address speaks TLS/, 'tls'],
  [
    /replication (?:\S+ )?(?:is broken|does not run|is .* behind)|has lost its master/,
    'replica',
    'infrastructure',
  ],
  [/^(?:.*: )?replication slot /, 'replication-slot'],
  [/has no such database/, 'no-database'],
  [/^(?:.*: )?autovacuum is off$/, 'autovacuum-off'],
  [/idle in (?:a )?transaction for/, 'idle-transaction'],
  [
    /\bdue to (?:statement|lock) timeout|Lock wait timeout exceeded/i,
    'statement-timeout',
    'timeout',
  ],
  [/\bquota\b|OVER_QUERY_LIMIT/i, 'quota-of-provider', 'rate-limited'],
  [
    /\bdrops connections: \d|\b\d+ of \d+ connections are in use$|\bworker_connections are not enough/,
    'nginx-connections',
    'capacity',
  ],
  [/\brules of .* cannot be evaluated/, 'broken-rule', 'infrastructure'],
  [/\bits alert Watchdog, which always fires,/, 'broken-rule', 'infrastructure'],
  [/\balerts were dropped: no Alertmanager/, 'dropped-alerts', 'infrastructure'],
  [/\bits configuration was refused: it runs with an older one/, 'refused-configuration'],
  [/\bits (?:secret|config map) \S+ (?:does not exist|has no key)/, 'missing-config', 'config'],
  [/\bhas been waiting to be created for /, 'waiting-container'],
  [/\bits storage class \S+ does not exist/, 'no-storage-class'],
  [/\bhas no volume$|unbound immediate PersistentVolumeClaim/, 'unbound-claim', 'volume'],
  [/^Pod \S+ cannot be scheduled/, 'unbound-claim', 'volume'],
  [
    /^(?:.*: )?(?:Pod|Deployment|StatefulSet|DaemonSet|Job|CronJob|Service) \S+ does not exist(?:;|$)/,
    'no-workload',
  ],
  [/^(?:.*: )?Service \S+ its selector \(.{0,500}\) matches no pod/, 'no-pods'],
  [/\binit container \S+ has been (?:running|waiting)/, 'init-container'],
  [/\bprobe asks port \S+, which is not one of its ports/, 'probe-port', 'config'],
  [/: the webhook \S+ fails$/, 'webhook', 'config'],
  [/timex_offset|\bclock\b|\bused before issued\b/i, 'clock', 'infrastructure'],
  [/: (?:a quota|the quota \S+) is used up$/, 'quota', 'capacity'],
];

/** The entry for what a title shows, whether or not the catalogue has it. */
export function entryByTitle({
  kind = 'unknown',
  title,
}: Pick<RootCause, 'kind' | 'title'>): string | undefined {
  const own = ownWords(title);
  return BY_TITLE.find(([words, , of = kind]) => of === kind && words.test(own))?.[1];
}

/**
 * The name of the entry of the catalogue for a failure of a node: that for its kind of node, or for
 * the kind of the object of Kubernetes that is wrong, if there is one.
 */
export function entryFor(
  failure: Pick<RootCause, 'kind' | 'steps' | 'title'>,
  { node, values }: Pick<CommandTarget, 'node' | 'values'>,
  catalogue: NextStepCatalogue,
): string {
  const { kind = 'unknown', steps } = failure;
  const told = steps ?? entryByTitle(failure) ?? kind;
  const entry = catalogue[told] === undefined ? kind : told;
  const special = [`kubernetes-${values['resource']}`, node.kind].map((of) => `${entry}-of-${of}`);
  return special.find((name) => catalogue[name] !== undefined) ?? entry;
}
