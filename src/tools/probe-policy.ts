/** What an operator lets tools look at beyond the endpoints of a topology. */
export interface ProbePolicy {
  /** Ports on which a name server may be asked. */
  dnsPorts: readonly number[];
  /** Folders of this machine whose file system may be measured, beside its mount points. */
  paths: readonly string[];
  /** Whether tools may look at the machine and the processes of this service. */
  localProbes: boolean;
}

export const PROBE_POLICY: ProbePolicy = { dnsPorts: [53], paths: ['/'], localProbes: true };

/** A tool was to look at the machine that the service runs on, and may not. */
export class LocalProbesOffError extends Error {
  constructor() {
    super('tools may not look at the machine and the processes of this service (LOCAL_PROBES=off)');
  }
}
