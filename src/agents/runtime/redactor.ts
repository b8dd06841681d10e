import { knownSecrets } from '../../config/known-secrets.js';
import type { RunSpec } from '../../domain/run.js';
import { VERDICTS } from '../../domain/diagnosis/finding.js';
import { RUN_STATUSES } from '../../domain/run-status.js';
import type { Topology } from '../../domain/topology/topology.js';
import { secretsOfTopology } from '../../domain/topology/secrets/topology-secrets.js';
import {
  endsInSecretName,
  redactSecrets,
  splitBehindSecretNames,
  type Redact,
} from '../../lib/redact-secrets.js';
import { countRedaction } from '../../lib/redactions.js';
import { redactValues } from '../../lib/redact-values.js';
import { escapePattern } from '../../lib/text.js';

interface Redactors {
  own: Redact;
  foreign: Redact;
}

const redactors = new WeakMap<RunSpec, Redactors & { known: readonly string[] }>();

/** Words of events that may also be a password. */
const WORDS = [
  ...VERDICTS,
  ...RUN_STATUSES,
  'global_supervisor',
  'team_supervisor',
  'worker',
  'oracle',
  'critical',
  'warning',
  'degraded',
  'unavailable',
  'denied',
  'partial',
  'service',
];

/**
 * Texts that name a part of a run. A text that equals one of them is not redacted: without it, the
 * event would have no subject.
 */
function identifiersOf({ nodes, teams, globalSupervisor }: Topology): ReadonlySet<string> {
  const workers = teams.flatMap((team) => team.workers);
  const agents = [globalSupervisor, ...teams.map(({ supervisor }) => supervisor), ...workers];
  return new Set([
    ...WORDS,
    ...nodes.flatMap(({ id, name, kind }) => [id, name, kind]),
    ...teams.map(({ name }) => name),
    ...agents.flatMap(({ agentId, name }) => [agentId, name]),
    ...workers.flatMap(({ tools }) => tools ?? []),
  ]);
}

/**
 * Splits a text after `NAME: ` of a node whose name ends like that of a secret, such as "Client
 * secret": the text that follows is written by this service about the node, and is not a secret
 * value. A chat may be about the nodes of any topology, and reads only recorded, redacted text:
 * there every such name counts.
 */
function splitterOf({ kind, topology: { nodes } }: RunSpec): (text: string) => string[] {
  if (kind === 'chat') return splitBehindSecretNames;
  const names = nodes.flatMap(({ id, name }) => [name, id]).filter(endsInSecretName);
  if (names.length === 0) return (text) => [text];
  const starts = [...new Set(names)].map(escapePattern).join('|');
  const end = new RegExp(`(?<=(?<![\\w-])(?:${starts}): )`);
  return (text) => text.split(end);
}

function redactorsOf(spec: RunSpec): Redactors {
  const secrets = knownSecrets();
  const made = redactors.get(spec);
  if (made?.known === secrets) return made;
  const values = redactValues([...secretsOfTopology(spec.topology), ...secrets]);
  const identifiers = identifiersOf(spec.topology);
  const plain: Redact = (text) =>
    identifiers.has(text) ? text : countRedaction('known', text, values(text));
  const split = splitterOf(spec);
  const own: Redact = (text) => split(plain(text)).map(redactSecrets).join('');
  const foreign: Redact = (text) => redactSecrets(plain(text));
  redactors.set(spec, { own, foreign, known: secrets });
  return { own, foreign };
}

/**
 * Removes what no agent of a run may record or send: the secrets of its topology and of this
 * process in every encoding, and text that looks like a credential. Every event, and everything
 * that a model writes or receives, passes through it.
 */
export const redactorOf = (spec: RunSpec): Redact => redactorsOf(spec).own;

/**
 * The same for text of a person or a target: the name of a node in it does not make the following
 * words those of this service.
 */
export const foreignRedactorOf = (spec: RunSpec): Redact => redactorsOf(spec).foreign;
