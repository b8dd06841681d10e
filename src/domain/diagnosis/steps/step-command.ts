import { escapePattern, joinSentences } from '../../../lib/text.js';
import { endpointAddress, endpointUrl, endpointUser } from '../../topology/endpoint-address.js';
import { providesOf } from '../../topology/recorded.js';
import { isForeign } from '../../topology/foreign-node.js';
import { referencesIn } from '../../topology/secrets/secret-reference.js';
import type { Topology, TopologyNode } from '../../topology/topology.js';
import type { NextStep, RootCause } from '../finding.js';
import type { CommandTarget } from './command-target.js';
import { fitsResource, workloadValues } from './step-object.js';

/** Commands of one program that fit only some kinds of nodes. */
const FOR_KIND: readonly [RegExp, RegExp][] = [
  [/redis-cli/, /redis|valkey/],
  [/psql/, /postgres|(?<!my)sql/],
  [/\bmysql /, /mysql|mariadb/],
  [/rabbitmqctl/, /rabbitmq/],
  [/kafka/, /kafka/],
];

/**
 * An address without a name, and the names for which no public authority issues a certificate (RFC
 * 2606, 6761, 6762, 8375).
 */
const NOT_PUBLIC =
  /^(?:\[.*\]|[\d.]+|[^.]*)$|\.(?:localhost|local|internal|intranet|lan|home|corp|test|invalid|home\.arpa|cluster\.local|svc)$/i;

/** The placeholders of commands that the service fills in. */
const PLACEHOLDER =
  /<(host|port|url|psql|mysql|nameserver|part|unit|workload|resource|name|namespace)>/g;

/**
 * Placeholder in commands for the user name of an administrator, which the service does not know.
 */
const ADMIN = 'ADMIN';

/** Where a node was measured. */
export interface MeasuredPlace {
  /** `user@host:port/database`, for a node whose address only SOURCES_FILE has. */
  target?: string | undefined;
  /** `shop/deployment/orders`: a selector need not contain the namespace. */
  workload?: string | undefined;
  /** The user that signed in may not see everything that a command reads. */
  isHidden?: boolean;
}

/** A node with its address, and with the unit or the workload that its sources give for it. */
export function placed(
  node: TopologyNode,
  sources: Topology['sources'],
  { target, workload, isHidden = false }: MeasuredPlace = {},
): CommandTarget {
  const selected = (kind: string): string[] =>
    (sources ?? []).flatMap((source) => (source.kind === kind ? (node.in?.[source.id] ?? []) : []));
  const endpoint = node.endpoint ?? target;
  const unit = selected('journald').find((name) => name !== '*');
  return {
    node,
    isInKubernetes:
      /pod|deployment|kube/.test(node.kind) || providesOf(node, sources, 'kubernetes'),
    values: {
      ...endpointAddress(endpoint),
      ...logins(endpoint, node.kind, isHidden ? ADMIN : endpointUser(endpoint)),
      nameserver: nameServer(node),
      // A backslash, which the name of a unit may contain, has a meaning for a shell.
      unit: unit?.includes('\\') ? `'${unit}'` : unit,
      ...workloadValues(workload ?? selected('kubernetes')[0] ?? node.attributes['kubernetes']),
    },
    administrator: logins(endpoint, node.kind, ADMIN),
  };
}

/** A node for commands that change it: the credential of the diagnosis may be read-only. */
export const asAdministrator = (at: CommandTarget): CommandTarget => ({
  ...at,
  values: { ...at.values, ...at.administrator },
});

/** An endpoint in the form of programs that sign in there. */
const logins = (endpoint: string | undefined, kind: string, user: string | undefined) => ({
  url: endpointUrl({ endpoint, kind, user }),
  psql: loginOptions(endpoint, '-p PORT', user && `-U ${user}`),
  mysql: loginOptions(endpoint, '-P PORT', user && `-u ${user} -p`),
});

/**
 * Address and user for a program that asks for the password. Without a database, because a user
 * without a right to it would be refused.
 */
function loginOptions(
  endpoint: string | undefined,
  forPort: string,
  forUser: string | undefined,
): string | undefined {
  const { host, port } = endpointAddress(endpoint) ?? {};
  if (host === undefined || port === undefined) return undefined;
  const known = [`-h ${host}`, forPort.replace('PORT', port)];
  return [...known, ...(forUser === undefined ? [] : [forUser])].join(' ');
}

/** The name server for queries about a node, as options of dig. */
function nameServer({ attributes }: TopologyNode): string | undefined {
  const { host, port = '53' } = serverAddress(attributes) ?? {};
  return host && `@${host} -p ${port}`;
}

function serverAddress({ server }: TopologyNode['attributes']): Address | undefined {
  const address = endpointAddress(typeof server === 'string' ? server : undefined);
  return address && { ...address, host: address.host.replaceAll(/[[\]]/g, '') };
}

/** A node with its part that has failed. */
export const inFailure = (at: CommandTarget, { part }: Pick<RootCause, 'part'>): CommandTarget => ({
  ...at,
  values: { ...at.values, part },
});

/** The first command that fits the node and whose values are all known. A step may have none. */
export function commandFor(commands: readonly string[], at: CommandTarget): string | undefined {
  for (const command of commands) {
    const filled = fits(command, at) ? fill(command, at.values) : undefined;
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/**
 * A command that names one program is for nodes of that kind, nodes on that platform, or nodes with
 * such an address.
 */
function fits(command: string, { node, isInKubernetes, values }: CommandTarget): boolean {
  if (/\bkubectl\b/.test(command) && !isInKubernetes) return false;
  if (isForeign(node) && IN_SHELL.test(command)) return false;
  if (!fitsResource(command, values)) return false;
  if (OF_MACHINE.test(command) && isInKubernetes && !isMachine(node.kind)) return false;
  if (/\bcertbot\b/.test(command) && NOT_PUBLIC.test(values['host'] ?? '')) return false;
  return FOR_KIND.every(([program, kinds]) => !program.test(command) || kinds.test(node.kind));
}

const isMachine = (kind: string): boolean => /^(?:host|node)$/.test(kind);

/** Programs that show or change the machine that they run on: they show nothing about a pod. */
const OF_MACHINE =
  /(?:^|[;|] *)(?:certbot|coredumpctl|df|dmesg|du|findmnt|grep -r|journalctl|lsof|ps|ss|systemctl|timedatectl|top|vmstat)(?= |$)/;
/** Programs that work on one machine only. */
const ON_MACHINE = /(?:^|[;|] *)(?:chronyc|nginx|promtool|rabbitmqctl)(?= |$)/;
/** Programs for which a person must sign in to the machine. */
const IN_SHELL = new RegExp(`${OF_MACHINE.source}|${ON_MACHINE.source}|(?:^|[;|] *)kill `);

/** A sentence about where a command must run; empty if that does not matter. */
function placeText(command: string, { name, kind }: TopologyNode): string {
  if (/^git /.test(command)) return `Run the command in the repository of ${name}.`;
  return OF_MACHINE.test(command) || ON_MACHINE.test(command)
    ? `Run the command on ${kind === 'host' ? '' : 'the machine of '}${name}.`
    : '';
}

/** Programs that do not ask for a password, and their option for a credential. */
const SIGN_IN: readonly [program: RegExp, option: string][] = [
  [/\bredis-cli -u /, '--askpass'],
  [/\bcurl /, '-u USER'],
];

/**
 * A sentence that says that a command lacks the credential of its endpoint; empty if it lacks none.
 */
function signInText(
  command: string,
  { node, values }: CommandTarget,
  access: NextStep['access'],
): string {
  const option = SIGN_IN.find(([program]) => program.test(command))?.[1];
  const lacks = values['url'] !== undefined && command.includes(values['url']);
  if (option === undefined || !lacks || credentialOf(node) === '') return '';
  return access === 'change' && option === '--askpass' && endpointUser(node.endpoint) !== undefined
    ? `The command leaves out the credential: add that of an administrator (--user ${ADMIN} ${option}).`
    : `The command leaves out the password: add it (${option}).`;
}

/** The placeholders that a person must replace in a command, with a sentence for each. */
const TO_REPLACE: readonly [word: RegExp, text: string][] = [
  [new RegExp(`\\b${ADMIN}\\b`), `${ADMIN} stands for the user name of an administrator.`],
  [/\bPID\b/, 'PID stands for the id of that session.'],
];

const toReplace = (command: string): string[] =>
  TO_REPLACE.flatMap(([word, text]) => (word.test(command) ? text : []));

function fill(command: string, values: CommandTarget['values']): string | undefined {
  const isKnown = [...command.matchAll(PLACEHOLDER)].every(
    ([, name = '']) => values[name] !== undefined,
  );
  return isKnown
    ? command.replaceAll(PLACEHOLDER, (_, name: string) => values[name] ?? '')
    : undefined;
}

const credentialOf = ({ endpoint = '' }: TopologyNode): string =>
  /^[^\s?#]*@/.exec(endpoint)?.[0] ?? '';

/**
 * A sentence about where the credential in the endpoint of a node comes from; empty if it has none.
 */
function credentialText(node: TopologyNode): string {
  const { name } = node;
  const credential = credentialOf(node);
  if (credential === '') return '';
  const words = { env: 'the environment variable', secret: 'the secret', file: 'the file' };
  const from = referencesIn(credential).map((one) => `${words[one.kind]} ${one.name}`);
  const where = from.length === 0 ? 'its endpoint in the topology' : from.join(' and ');
  return `The diagnosis takes that of ${name} from ${where}.`;
}

/**
 * A text of the catalogue for a node, with where its command must run, and what the command lacks.
 */
export const stepWords = (
  text: string,
  at: CommandTarget,
  command = '',
  access: NextStep['access'] = 'read',
): string =>
  joinSentences(
    text
      .replaceAll('{node}', () => at.node.name)
      .replaceAll('{part}', () => at.values['part'] ?? 'see its answer')
      .replaceAll('{credential}', () => credentialText(at.node)),
    placeText(command, at.node),
    signInText(command, at, access),
    ...toReplace(command),
  );

type Address = NonNullable<ReturnType<typeof endpointAddress>>;

/**
 * The address in a command about a node that has no endpoint: of a URL, or of the option for a
 * host.
 */
const ADDRESS = /\w+:\/\/[^\s/]+|(?<= -h | --bootstrap-server )\S+/;

function hideAddress(command: string, { host, port }: Address): string {
  const hidden = command.replaceAll(
    new RegExp(`(?<![\\w.-])${escapePattern(host)}(?![\\w-])`, 'g'),
    '<host>',
  );
  return port === undefined
    ? hidden
    : hidden.replaceAll(new RegExp(`(?<![\\w.])${port}(?!\\w)`, 'g'), '<port>');
}

/** Steps as a model may read them: commands without the addresses of nodes. */
export const withoutAddresses = (
  steps: readonly NextStep[],
  nodes: readonly TopologyNode[],
): NextStep[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const addresses = nodes.flatMap(({ endpoint, attributes }) =>
    [endpointAddress(endpoint), serverAddress(attributes)].filter((each) => each !== undefined),
  );
  return steps.map((step) => {
    const { command, node = '' } = step;
    const known = byId.get(node);
    if (command === undefined || known === undefined) return step;
    const own = endpointAddress(known.endpoint ?? ADDRESS.exec(command)?.[0]);
    // A statement of a node about another one may name that.
    const others = addresses.filter(({ host }) => command.includes(host));
    return { ...step, command: [...(own ? [own] : []), ...others].reduce(hideAddress, command) };
  });
};
