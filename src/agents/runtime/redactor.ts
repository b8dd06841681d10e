import { knownSecrets } from '../../config/known-secrets.js';
import type { RunSpec } from '../../domain/run.js';
import { VERDICTS } from '../../domain/diagnosis/finding.js';
import { RUN_STATUSES } from '../../domain/run-status.js';
import type { Topology } from '../../domain/topology/topology.js';
import { secretsOfTopology } from '../../domain/topology/topology-secrets.js';
import { redactSecrets, type Redact } from '../../lib/redact-secrets.js';
import { countRedaction } from '../../lib/redactions.js';
import { redactValues } from '../../lib/redact-values.js';

const redactors = new WeakMap<RunSpec, { redact: Redact; known: readonly string[] }>();

/** Words that events consist of, and a password may also be. */
const WORDS = [
  ...VERDICTS,
  ...RUN_STATUSES,
  ...['global_supervisor', 'team_supervisor', 'worker', 'oracle'],
  ...['critical', 'warning', 'degraded', 'unavailable', 'denied', 'partial', 'service'],
];

/** Texts that name a part of a run. A text that is nothing else stays: without it, the event would be about nothing. */
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
 * What no agent of a run may record or send: the secrets of its topology and of this process in every encoding, and what
 * looks like a credential. Everything that a tool returns, a model says or is sent goes through it.
 */
export function redactorOf(spec: RunSpec): Redact {
  const secrets = knownSecrets();
  const made = redactors.get(spec);
  if (made?.known === secrets) return made.redact;
  const values = redactValues([...secretsOfTopology(spec.topology), ...secrets]);
  const identifiers = identifiersOf(spec.topology);
  const redact: Redact = (text) =>
    redactSecrets(identifiers.has(text) ? text : countRedaction('known', text, values(text)));
  redactors.set(spec, { redact, known: secrets });
  return redact;
}
