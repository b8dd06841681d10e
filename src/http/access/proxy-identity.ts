import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.js';
import { DEFAULT_TENANT } from '../../domain/tenant.js';
import { parseGroupRoles, roleOfGroups, type GroupRoles } from './identity-roles.js';
import type { Principal } from './principal.js';

type Settings = Pick<
  Config,
  'trustedProxies' | 'proxyPrincipalHeader' | 'proxyGroupsHeader' | 'groupRoles'
>;

/**
 * Trusts the identity headers of an authenticating proxy, which is known by the address of its
 * connection.
 */
export class ProxyIdentity {
  private readonly trusted: [ipaddr.IPv4 | ipaddr.IPv6, number][];
  private readonly roles: GroupRoles;

  /** @throws Error if a network or a role cannot be parsed */
  constructor(private readonly settings: Settings) {
    this.trusted = (settings.trustedProxies ?? '').split(',').map((text) => networkOf(text.trim()));
    this.roles = parseGroupRoles(settings.groupRoles);
  }

  /**
   * The principal that a trusted proxy names; undefined from other addresses, or if it names none.
   */
  principalOf({ socket, headersDistinct }: Request): Principal | undefined {
    if (!this.isTrusted(socket.remoteAddress)) return undefined;
    const { proxyPrincipalHeader, proxyGroupsHeader } = this.settings;
    const names = headersDistinct[proxyPrincipalHeader.toLowerCase()] ?? [];
    const lists = headersDistinct[proxyGroupsHeader.toLowerCase()] ?? [];
    // A proxy that adds its header beside one of the client's does not authenticate.
    if (names.length !== 1 || lists.length !== 1) return undefined;
    const [name = ''] = names;
    const role = roleOfGroups((lists[0] ?? '').split(/\s*,\s*/), this.roles);
    if (name === '' || name.length > 200 || role === undefined) return undefined;
    return { tenant: DEFAULT_TENANT, name, role };
  }

  private isTrusted(address = ''): boolean {
    if (!ipaddr.isValid(address)) return false;
    const peer = ipaddr.process(address);
    return this.trusted.some(([net, bits]) => net.kind() === peer.kind() && peer.match(net, bits));
  }
}

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch (error) {
    throw new Error(`TRUSTED_PROXIES: "${text.slice(0, 100)}" is no address or network`, {
      cause: error,
    });
  }
}
