import { knownSecrets } from '../../config/known-secrets.js';
import type { RunSpec } from '../../domain/run.js';
import { secretsOfTopology } from '../../domain/topology/topology-secrets.js';
import { redactSecrets, type Redact } from '../../lib/redact-secrets.js';
import { redactValues } from '../../lib/redact-values.js';

const redactors = new WeakMap<RunSpec, { redact: Redact; known: readonly string[] }>();

/**
 * What no agent of a run may record or send: the secrets of its topology and of this process in every encoding, and what
 * looks like a credential. Everything that a tool returns, a model says or is sent goes through it.
 */
export function redactorOf(spec: RunSpec): Redact {
  const secrets = knownSecrets();
  const made = redactors.get(spec);
  if (made?.known === secrets) return made.redact;
  const values = redactValues([...secretsOfTopology(spec.topology), ...secrets]);
  const redact: Redact = (text) => redactSecrets(values(text));
  redactors.set(spec, { redact, known: secrets });
  return redact;
}
