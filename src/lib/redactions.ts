/**
 * The detectors of secrets in texts: forms of credentials, and values that are known to be secret.
 */
export const DETECTORS = [
  'url',
  'private_key',
  'cookie',
  'authorization',
  'jwt',
  'own_key',
  'provider_key',
  'named',
  'known',
] as const;

export type Detector = (typeof DETECTORS)[number];

const counts = new Map<Detector, number>(DETECTORS.map((detector) => [detector, 0]));

/** Texts in which each detector has replaced something, since this process began. */
export const redactions: ReadonlyMap<Detector, number> = counts;

/** Counts a text if a detector has changed it. @returns the changed text */
export function countRedaction(detector: Detector, before: string, after: string): string {
  if (after !== before) counts.set(detector, (counts.get(detector) ?? 0) + 1);
  return after;
}
