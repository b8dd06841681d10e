import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { redactTopology } from '../domain/topology/secrets/redact-topology.js';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import type { Json, JsonObject } from '../lib/json.js';
import { mapTexts } from '../lib/redact-secrets.js';
import type { Config } from './config.js';

/** A sealed text: version, id of the key, then nonce, tag and ciphertext in base64url. */
const SEALED = /^sealed:v1:([\w.-]{1,40}):([\w-]+)$/;
const KEY = /^([\w.-]{1,40}):([A-Za-z0-9+/_-]{43}=?)$/;
/** Bytes. NIST SP 800-38D. */
const NONCE = 12;
const TAG = 16;
const KEY_BYTES = 32;

type Sealable = Pick<Topology, 'id' | 'nodes'>;

/**
 * Encrypts the secrets of stored topologies with AES-256-GCM: endpoints with credentials, and
 * attributes whose names name secrets. A sealed text is bound to its tenant, topology and node, and
 * opens nowhere else. Without a key nothing is sealed.
 */
export class SecretBox {
  private constructor(private readonly keys: ReadonlyMap<string, Buffer>) {}

  /**
   * @param text `ID:KEY`, separated by white space or commas; the key is 32 bytes in base64. The
   *   first one seals, all of them open
   * @throws Error that names the part that is wrong, never a key
   */
  static of(text: string): SecretBox {
    const parts = text.split(/[\s,]+/).filter((part) => part !== '');
    const keys = parts.map((part, i): [string, Buffer] => {
      const [, id = '', key = ''] = KEY.exec(part) ?? [];
      const bytes = Buffer.from(key, 'base64');
      if (bytes.length === KEY_BYTES) return [id, bytes];
      throw new Error(`key ${i + 1} must be ID:KEY, the key 32 bytes in base64`);
    });
    if (new Set(keys.map(([id]) => id)).size < keys.length)
      throw new Error('two keys have the same id');
    return new SecretBox(new Map(keys));
  }

  /** The keys of SECRETS_KEYS_FILE; none without it. @throws Error */
  static from({ secretsKeysFile: file }: Pick<Config, 'secretsKeysFile'>): SecretBox {
    return SecretBox.of(file === undefined ? '' : readFileSync(file, 'utf8'));
  }

  /** Whether there is a key to seal with. */
  get seals(): boolean {
    return this.keys.size > 0;
  }

  /** A topology as it is stored. */
  seal<Value extends Sealable>(topology: Value, tenant: string): Value {
    const [current] = this.keys;
    if (!current) return topology;
    const nodes = topology.nodes.map((node) => {
      const context = contextOf(tenant, topology.id, node.id);
      const shown = redactTopology(node as unknown as JsonObject);
      return sealChanged(node as unknown as Json, shown, (text) =>
        sealText(text, context, current),
      ) as unknown as TopologyNode;
    });
    return { ...topology, nodes };
  }

  /**
   * A topology as it was before {@link seal}.
   * @throws Error if its key is missing, or it was changed or moved
   */
  open<Value extends Sealable>(topology: Value, tenant: string): Value {
    const nodes = topology.nodes.map((node) => {
      const context = contextOf(tenant, topology.id, node.id);
      return mapTexts(node, (text) => this.openText(text, context));
    });
    return { ...topology, nodes };
  }

  private openText(text: string, context: string): string {
    const [, id = '', body = ''] = SEALED.exec(text) ?? [];
    if (body === '') return text;
    const key = this.keys.get(id);
    if (!key) throw new Error(`a secret is sealed with key ${id}, which SECRETS_KEYS_FILE lacks`);
    const bytes = Buffer.from(body, 'base64url');
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE));
    cipher.setAAD(Buffer.from(context));
    cipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    return cipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + cipher.final('utf8');
  }
}

/** What a sealed text is bound to. None of the parts has a line feed but the last. */
const contextOf = (tenant: string, topologyId: number, nodeId: string): string =>
  [tenant, topologyId, nodeId].join('\n');

function sealText(text: string, context: string, [id, key]: [string, Buffer]): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const body = Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  return `sealed:v1:${id}:${body.toString('base64url')}`;
}

/** Seals the texts that clients see redacted, and those that look sealed already. */
function sealChanged(value: Json, shown: Json | undefined, seal: (text: string) => string): Json {
  if (typeof value === 'string') return value !== shown || SEALED.test(value) ? seal(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const at = (key: string | number): Json | undefined =>
    (shown as Record<string | number, Json> | undefined)?.[key];
  if (Array.isArray(value)) return value.map((item, i) => sealChanged(item, at(i), seal));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, sealChanged(item, at(key), seal)]),
  );
}
