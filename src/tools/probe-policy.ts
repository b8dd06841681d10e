import { DEFAULT_TENANT } from '../domain/tenant.js';
import { EgressPolicy } from './egress/egress-policy.js';
import { UnmeasuredError } from './unmeasured-error.js';

/** What an operator lets tools connect to and look at. */
export interface ProbePolicy {
  /** Ports on which a name server may be asked. */
  dnsPorts: readonly number[];
  /** Folders of this machine whose file system may be measured, beside its mount points. */
  paths: readonly string[];
  /** Whether tools may look at the machine and the processes of this service. */
  localProbes: boolean;
  egress: EgressPolicy;
  /** How long a call that changes its target waits for a person. */
  approvalMs: number;
}

export const PROBE_POLICY: ProbePolicy = {
  dnsPorts: [53],
  paths: ['/'],
  localProbes: true,
  egress: new EgressPolicy(),
  approvalMs: 600_000,
};

/**
 * What holds for the topologies of a tenant. The tenant `default` operates the service; the admins of others do not, and neither look at
 * its machine nor, without `EGRESS_ALLOW`, into its networks.
 */
export const policyOfTenant = (policy: ProbePolicy, tenant: string): ProbePolicy =>
  tenant === DEFAULT_TENANT
    ? policy
    : { ...policy, localProbes: false, egress: policy.egress.ofPublic() };

/** Of a tool that looks at the machine that the service runs on. */
export const localProbesOff = (_node: unknown, { localProbes }: ProbePolicy) =>
  localProbes ? undefined : { field: 'kind', error: new LocalProbesOffError() };

class LocalProbesOffError extends UnmeasuredError {
  override readonly code = 'FORBIDDEN';

  constructor() {
    super(
      'tools may not look at the machine and the processes of this service: LOCAL_PROBES is off, or the topology is of another tenant than `default`',
    );
  }
}
