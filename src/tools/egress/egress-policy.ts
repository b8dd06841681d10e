import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { HostPort } from '../net/endpoint.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { parseEgressRule, type EgressRule } from './egress-rule.js';
import { addressesOf, type Address } from './plain-address.js';

/** A tool tried to connect to a target that the operator or the service itself denies. */
export class EgressDeniedError extends UnmeasuredError {
  override readonly code = 'EGRESS_DENIED';

  /** @param rule that denies it, as text */
  constructor(
    readonly target: string,
    readonly rule: string,
  ) {
    super(`connections to ${target} are not allowed: ${rule}`);
  }
}

/** An address that a tool may connect to. */
export interface CheckedAddress {
  address: string;
  family: 4 | 6;
}

/**
 * Metadata services of clouds, link-local and multicast networks: no node of a topology is there,
 * but credentials may be.
 */
const ALWAYS_DENIED = [
  '169.254.0.0/16',
  '[fe80::/10]',
  '[fd00:ec2::254/128]',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '0.0.0.0/8',
  '[::/128]',
  '224.0.0.0/4',
  '[ff00::/8]',
  '255.255.255.255/32',
  'metadata.google.internal',
  'metadata.goog',
  'metadata',
  'instance-data',
].map(parseEgressRule);

/**
 * The allowed targets of a process's tools. A name is resolved once, each of its addresses is
 * checked, and the connection goes to a checked address: a name that changes between the check and
 * the connection has no effect.
 */
export class EgressPolicy {
  /**
   * @param allow empty: everything that is not denied
   * @param own the store of the service itself
   * @param range the allowed addresses if nothing is denied and `allow` is empty
   */
  constructor(
    private readonly allow: readonly EgressRule[] = [],
    private readonly deny: readonly EgressRule[] = [],
    private readonly own: readonly HostPort[] = [],
    private readonly range: 'any' | 'public' = 'any',
  ) {}

  /**
   * Rules separated by commas.
   * @throws Error that names the variable and the first invalid rule
   */
  static of(allow: string | undefined, deny: string | undefined, own: HostPort[]): EgressPolicy {
    return new EgressPolicy(rulesOf('EGRESS_ALLOW', allow), rulesOf('EGRESS_DENY', deny), own);
  }

  /** The same rules; without `EGRESS_ALLOW`, only addresses of the public internet. */
  ofPublic(): EgressPolicy {
    return new EgressPolicy(this.allow, this.deny, this.own, 'public');
  }

  /**
   * Why connections to a host are denied, by its name or literal address alone; undefined if it is
   * not known to be denied.
   */
  denialOf({ host, port }: HostPort): string | undefined {
    if (isIP(host) !== 0) return this.denialOfAddress(host, host, port);
    const name = nameOf(host);
    const rule = [...ALWAYS_DENIED, ...this.deny].find((each) => each.coversName(name, port));
    return rule && deniedBy(rule);
  }

  /**
   * The addresses of a host, all of which are allowed.
   * @throws EgressDeniedError if one is denied; errors of name resolution
   */
  async resolve(target: HostPort): Promise<CheckedAddress[]> {
    const { host, port } = target;
    const deny = (rule: string): never => {
      throw new EgressDeniedError(host, rule);
    };
    const byName = this.denialOf(target);
    if (byName !== undefined) deny(byName);
    const addresses = await addressesByName(host);
    for (const { address } of addresses) {
      const rule = this.denialOfAddress(host, address, port);
      if (rule !== undefined) deny(rule);
    }
    if (await this.isOwn(addresses, port)) deny('it is the Redis of this service');
    return addresses;
  }

  /**
   * Why a tenant must not learn the address of a name, which only the resolver of the service may
   * know; undefined if it may: an address of the public internet, or an allowed one.
   */
  hides({ host, port }: HostPort, address: string): string | undefined {
    return this.range === 'any' || addressesOf(address).every(isPublic)
      ? undefined
      : this.denialOfAddress(host, address, port);
  }

  private denialOfAddress(host: string, text: string, port: number): string | undefined {
    const addresses = addressesOf(text);
    const covers = (rule: EgressRule) => addresses.some((each) => rule.coversAddress(each, port));
    const denied = [...ALWAYS_DENIED, ...this.deny].find(covers);
    if (denied) return deniedBy(denied);
    const allowed = (rule: EgressRule) =>
      rule.coversName(nameOf(host), port) ||
      addresses.every((each) => rule.coversAddress(each, port));
    if (this.allow.length > 0)
      return this.allow.some(allowed) ? undefined : 'EGRESS_ALLOW does not name it';
    return this.range === 'any' || addresses.every(isPublic) ? undefined : NOT_PUBLIC;
  }

  /** Whether a connection would reach the store of the service, under any name. */
  private async isOwn(addresses: readonly CheckedAddress[], port: number): Promise<boolean> {
    const own = this.own.filter((each) => each.port === port);
    if (own.length === 0) return false;
    const targets = new Set(addresses.map(({ address }) => machineOf(address)));
    for (const { host } of own) {
      const known = await addressesByName(host).catch(() => []);
      if (known.some(({ address }) => targets.has(machineOf(address)))) return true;
    }
    return false;
  }
}

function rulesOf(variable: string, text = ''): EgressRule[] {
  const rules = text.split(',').filter((rule) => rule.trim() !== '');
  try {
    return rules.map((rule) => parseEgressRule(rule.trim()));
  } catch (error) {
    throw new Error(`${variable}: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}

const NOT_PUBLIC = 'without EGRESS_ALLOW, the topologies of tenants reach public addresses only';

/**
 * Whether an address belongs to the public internet: not private, local, shared or reserved, and no
 * tunnel.
 */
const isPublic = (address: Address): boolean => address.range() === 'unicast';

const deniedBy = ({ text }: EgressRule): string => `${text} is denied`;

/** A name in the form of rules. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');

async function addressesByName(host: string): Promise<CheckedAddress[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** The same text for all addresses of this machine. */
function machineOf(text: string): string {
  const [address] = addressesOf(text).slice(-1);
  const isOwn = (each: Address | undefined) =>
    each !== undefined && (each.range() === 'loopback' || interfaces().has(each.toString()));
  return isOwn(address) ? 'this machine' : String(address);
}

const interfaces = (): Set<string> =>
  new Set(
    Object.values(networkInterfaces()).flatMap((list = []) =>
      list.map(({ address }) => String(addressesOf(address)[0])),
    ),
  );
