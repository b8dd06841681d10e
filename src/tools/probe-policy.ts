import { DEFAULT_TENANT } from '../domain/tenant.js';
import { EgressPolicy } from './egress/egress-policy.js';
import { UnmeasuredError } from './unmeasured-error.js';

/** The targets and local data that an operator allows to tools. */
export interface ProbePolicy {
  /** Ports on which a name server may be asked. */
  dnsPorts: readonly number[];
  /** Folders of this machine whose file system may be measured, beside its mount points. */
  paths: readonly string[];
  /** Whether tools may look at the machine and the processes of this service. */
  localProbes: boolean;
  /**
   * Whether the resolver of this service may be asked for other records than addresses, which may
   * be of its networks.
   */
  allRecords: boolean;
  /**
   * Whether every command of TOOLS_DIR may run; else only those that their files allow for all
   * tenants.
   */
  ownCommands: boolean;
  egress: EgressPolicy;
  /** How long a call that changes its target waits for a person. */
  approvalMs: number;
}

export const PROBE_POLICY: ProbePolicy = {
  dnsPorts: [53],
  paths: ['/'],
  localProbes: true,
  allRecords: true,
  ownCommands: true,
  egress: new EgressPolicy(),
  approvalMs: 600_000,
};

/**
 * The policy for topologies of a tenant. The tenant `default` operates the service; the admins of
 * others do not. They may not measure its machine, run the operator's commands, read records of its
 * resolver, or, without `EGRESS_ALLOW`, reach its networks.
 */
export const policyOfTenant = (policy: ProbePolicy, tenant: string): ProbePolicy =>
  tenant === DEFAULT_TENANT
    ? policy
    : {
        ...policy,
        localProbes: false,
        allRecords: false,
        ownCommands: false,
        egress: policy.egress.ofPublic(),
      };

/** For a tool that measures the machine of the service. */
export const localProbesOff = (_node: unknown, { localProbes }: ProbePolicy) =>
  localProbes ? undefined : forbidden(LOCAL_PROBES_OFF);

/**
 * Of a program of the operator, which runs on the machine of the service with credentials of the
 * operator.
 */
export const ownCommandsOff = (_node: unknown, { ownCommands }: ProbePolicy) =>
  ownCommands ? undefined : forbidden(OWN_COMMANDS_OFF);

const LOCAL_PROBES_OFF =
  'tools may not measure the machine and the processes of this service: LOCAL_PROBES is off, or the topology is of another tenant than `default`';
const OWN_COMMANDS_OFF =
  'the command of this tool runs for topologies of the tenant `default` only: its file does not say `tenants: all`';

class ForbiddenToolError extends UnmeasuredError {
  override readonly code = 'FORBIDDEN';
}

const forbidden = (reason: string) => ({
  field: 'kind',
  error: new ForbiddenToolError(reason),
});
