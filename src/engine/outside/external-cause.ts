export type ExternalKind =
  | 'certificate-expired'
  | 'dns'
  | 'provider-outage'
  | 'region'
  | 'infrastructure'
  | 'bad-data'
  | 'credential'
  | 'surge';

/** An external cause, and the evidence for it. */
export interface ExternalCause {
  kind: ExternalKind;
  /** 0 to 1. */
  strength: number;
  /** The text or series that shows it. */
  says: string;
  node?: string;
  at?: number;
}
