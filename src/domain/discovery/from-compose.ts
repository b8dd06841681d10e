import { type Fields, fieldsOf, textOf } from '../kubernetes/fields.js';
import type { FoundEdge, FoundNode } from './draft.js';
import { hostsIn, hostsOfCommand, type NamedHost } from './hosts.js';
import { endpointOf, kindOf, usualPort } from './service-kind.js';

/**
 * The services of compose files as nodes, and their dependencies: hosts in their variables and
 * command, links, and the services that they wait for at start (weaker evidence, because they need
 * not call those).
 * @param files parsed, in the order in which compose merges them: later ones win by service and
 *   field
 * @param env variables of `.env`, for `${NAME}` and for variables without a value
 */
export function foundInCompose(
  files: readonly unknown[],
  env: Readonly<Record<string, string>>,
): { nodes: FoundNode[]; edges: FoundEdge[]; unread: string[] } {
  const services = new Map<string, Fields>();
  for (const file of files)
    for (const [name, own] of Object.entries(fieldsOf(fieldsOf(file)['services'])))
      services.set(name, merged(services.get(name) ?? {}, fieldsOf(own)));
  const names = namesOf(services);
  const nodes = [...services].map(([name, own]) => nodeOf(name, own, env));
  const edges = [...services].flatMap(([node, own]): FoundEdge[] => {
    const edge = (hosts: readonly NamedHost[], evidence: FoundEdge['evidence'], text: string) =>
      hosts.flatMap(({ host, port }) => {
        // A word without a port or a dot need not be a host.
        const isHost = !isOwn(host) && (port !== undefined || host.includes('.'));
        const isNamed = evidence === 'order' || evidence === 'link';
        const on = names.get(host) ?? (isHost || isNamed ? host : undefined);
        return on === undefined ? [] : [{ node, on, evidence, from: `${text} of ${node}` }];
      });
    return [
      ...variablesOf(own['environment'], env).flatMap(([name, value]) =>
        edge(hostsIn(name, value), 'env', name),
      ),
      ...edge(hostsOfCommand(wordsOf(own['command'], env)), 'command', 'the command'),
      ...keysOf(own['links']).flatMap((link) =>
        edge([{ host: link.split(':')[0] ?? '' }], 'link', 'links'),
      ),
      ...keysOf(own['depends_on']).flatMap((host) => edge([{ host }], 'order', 'depends_on')),
    ];
  });
  const unread = [...services].flatMap(([name, own]) =>
    envFilesOf(own).map(
      (file) => `${file} (env_file of ${name}): edges that its variables name are missing.`,
    ),
  );
  return { nodes, edges, unread };
}

/** Of a list, a text, or objects with a `path`. */
const envFilesOf = (own: Fields): string[] =>
  [own['env_file']]
    .flat()
    .map((each) => textOf(fieldsOf(each)['path']) || textOf(each))
    .filter((file) => file !== '');

/** Whether a host is the container itself. */
const isOwn = (host: string): boolean => /^(?:localhost|127\..*|0\.0\.0\.0)$/.test(host);

/**
 * As compose merges a service of two files: maps and lists of variables by name, other fields by
 * the later one.
 */
function merged(before: Fields, after: Fields): Fields {
  const environment = [before['environment'], after['environment']].filter(
    (each) => each !== undefined,
  );
  const all = environment.flatMap((each) => pairsOf(each));
  return {
    ...before,
    ...after,
    ...(all.length > 0 && { environment: Object.fromEntries(all) }),
    ...(before['depends_on'] !== undefined && {
      depends_on: [...keysOf(before['depends_on']), ...keysOf(after['depends_on'])],
    }),
  };
}

/**
 * The names by which a service is reached: its own, that of its container, and its aliases in
 * networks.
 */
function namesOf(services: ReadonlyMap<string, Fields>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, own] of services) {
    const aliases = Object.values(fieldsOf(own['networks'])).flatMap((network) => {
      const given = fieldsOf(network)['aliases'];
      return Array.isArray(given) ? given.map(textOf) : [];
    });
    for (const each of [textOf(own['container_name']), textOf(own['hostname']), ...aliases])
      if (each !== '' && !names.has(each)) names.set(each.toLowerCase(), name);
  }
  for (const name of services.keys()) names.set(name.toLowerCase(), name);
  return names;
}

function nodeOf(id: string, own: Fields, env: Readonly<Record<string, string>>): FoundNode {
  const given = portOf(own, env);
  const image = interpolate(textOf(own['image']), env);
  const kind = kindOf({ image, ...(given !== undefined && { port: given }) });
  const port = given ?? usualPort(kind);
  const endpoint = port === undefined ? undefined : endpointOf(kind, id, port);
  return { id, kind, ...(endpoint !== undefined && { endpoint }), from: `service ${id}` };
}

/** The port within the network: from `expose`, or the right-hand one of `8080:80/tcp`. */
function portOf(own: Fields, env: Readonly<Record<string, string>>): number | undefined {
  const given = [own['expose'], own['ports']].flatMap((each) =>
    Array.isArray(each) ? (each as unknown[]) : [],
  );
  for (const each of given) {
    const text = interpolate(textOf(fieldsOf(each)['target']) || textOf(each), env);
    const [, port] = /(\d{1,5})(?:\/\w+)?$/.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  return undefined;
}

const pairsOf = (environment: unknown): [string, unknown][] =>
  Array.isArray(environment)
    ? environment.map(textOf).map((line) => {
        const at = line.indexOf('=');
        return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)];
      })
    : Object.entries(fieldsOf(environment));

/** A variable without a value takes its value from `.env`. */
const variablesOf = (
  environment: unknown,
  env: Readonly<Record<string, string>>,
): [string, string][] =>
  pairsOf(environment).map(([name, value]) => [
    name,
    interpolate(value === undefined || value === null ? (env[name] ?? '') : textOf(value), env),
  ]);

const wordsOf = (command: unknown, env: Readonly<Record<string, string>>): string[] =>
  (Array.isArray(command) ? command.map(textOf) : textOf(command).split(/\s+/)).map((word) =>
    interpolate(word, env),
  );

const keysOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : Object.keys(fieldsOf(value));

const MOST_DEPTH = 5;
const MOST_TEXT = 8_192;
const REFERENCE =
  /\$\{(?<name>\w+)(?:(?<operator>:?[-+?])(?<other>[^${}]*))?\}|\$\$|\$(?<plain>\w+)/g;

/**
 * `$NAME`, `${NAME}`, `${NAME:-default}` (also nested), `${NAME-default}`, `${NAME:?error}`; `$$`
 * is a dollar sign.
 * @internal Exported for tests.
 */
export function interpolate(
  text: string,
  env: Readonly<Record<string, string>>,
  depth = 0,
): string {
  if (depth > MOST_DEPTH || !text.includes('$')) return text;
  let next = '';
  let end = 0;
  let changed = false;
  for (const match of text.matchAll(REFERENCE)) {
    const { name, operator = '', other = '', plain } = match.groups ?? {};
    const value = env[name ?? plain ?? ''] ?? '';
    const isDollar = match[0] === '$$';
    changed ||= !isDollar;
    next += text.slice(end, match.index);
    if (isDollar) next += '$$';
    else if (operator.endsWith('+')) next += value === '' ? '' : other;
    else next += value === '' && operator.endsWith('-') ? other : value;
    end = match.index + match[0].length;
  }
  next = (next + text.slice(end)).slice(0, MOST_TEXT);
  return changed ? interpolate(next, env, depth + 1) : next.replaceAll('$$', '$');
}

/** The variables of a `.env` file: `NAME=value`, also quoted or after `export`. */
export const parseEnvFile = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((whole): [string, string][] => {
      const line = whole.slice(0, MOST_TEXT);
      const [, name, value = ''] = /^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined) return [];
      return [[name, value.replace(/^(["'])(.*)\1$/, '$2').replace(/\s+#.*$/, '')]];
    }),
  );
