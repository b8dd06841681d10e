import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { readSecret } from '../config/secrets.js';
import type { Fault } from '../domain/errors.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import {
  referencesIn,
  replaceReferences,
  type SecretReference,
} from '../domain/topology/secrets/secret-reference.js';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import { mapTexts } from '../lib/redact-secrets.js';

type Settings = Pick<Config, 'secretsDir' | 'secretsAllow' | 'secretOf'>;

/** The name of a file in the folder of a tenant: it cannot lead elsewhere. */
const NAME = /^[A-Za-z0-9_][\w.-]{0,99}$/;

/**
 * Credentials that topologies refer to: `${secret:NAME}` is the file NAME of the tenant's folder in
 * SECRETS_DIR; `${env:NAME}` and `${file:/PATH}` must be in SECRETS_ALLOW, and are for the default
 * tenant, which operates the service. They are read when a tool runs, and never stored.
 */
export class SecretReferences {
  private readonly allowed: ReadonlySet<string>;

  constructor(private readonly settings: Settings) {
    this.allowed = new Set(settings.secretsAllow?.split(/\s*,\s*/));
  }

  /**
   * References of a topology that its tenant may not use. Only processes that run tools know
   * whether there is a value.
   */
  faults({ nodes }: Topology, tenant: string): Fault[] {
    return nodes.flatMap(({ endpoint = '', attributes }, i) =>
      Object.entries({ endpoint, attributes: JSON.stringify(attributes) }).flatMap(([key, text]) =>
        referencesIn(text).flatMap((reference) => {
          const why = this.refusalOf(reference, tenant);
          return why === undefined
            ? []
            : [{ path: `nodes[${i}].${key}`, message: `${reference.text} ${why}` }];
        }),
      ),
    );
  }

  /**
   * A node with the values of its references, percent-encoded in the endpoint.
   * @throws Error that names the reference, if it is not allowed, or if its value is missing or has
   *   control characters
   */
  async resolve(node: TopologyNode, tenant: string): Promise<TopologyNode> {
    const { endpoint, attributes } = node;
    const references = referencesIn(JSON.stringify([endpoint, attributes]));
    if (references.length === 0) return node;
    const values = new Map<string, string>();
    for (const reference of references)
      values.set(reference.text, await this.valueOf(reference, tenant));
    const valueOf = (text: string) => values.get(text) ?? text;
    return {
      ...node,
      attributes: mapTexts(attributes, (text) => replaceReferences(text, valueOf)),
      ...(endpoint !== undefined && {
        endpoint: replaceReferences(endpoint, (text) => encodeURIComponent(valueOf(text))),
      }),
    };
  }

  private refusalOf({ kind, name }: SecretReference, tenant: string): string | undefined {
    if (kind !== 'secret')
      return tenant === DEFAULT_TENANT && this.allowed.has(`${kind}:${name}`)
        ? undefined
        : 'is not in SECRETS_ALLOW';
    if (!NAME.test(name)) return 'must name a file: letters, digits, _ . and -';
    return this.settings.secretsDir === undefined ? 'needs SECRETS_DIR' : undefined;
  }

  private async valueOf(reference: SecretReference, tenant: string): Promise<string> {
    const { kind, name, text } = reference;
    const why = this.refusalOf(reference, tenant);
    if (why !== undefined) throw new Error(`the credential ${text} ${why}`);
    const folder = this.settings.secretsDir ?? '';
    const source = kind === 'secret' ? `\${file:${join(folder, tenant, name)}}` : text;
    const value = await readSecret(source, this.settings.secretOf).catch(() => undefined);
    if (value === undefined) throw new Error(`the credential ${text} is missing or empty`);
    if (/\p{Cc}/u.test(value)) throw new Error(`the credential ${text} has control characters`);
    return value;
  }
}
