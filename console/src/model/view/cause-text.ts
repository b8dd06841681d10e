import type { RootCause } from '../../../../src/domain/diagnosis/finding.js';
import type { RunModel } from '../run-model.js';

/** The description of a root cause: in sentences, and as a list of reasons. */
export interface CauseText {
  detail: string;
  reasons: readonly string[];
  /** Whether the reasons replace the detail, because it would repeat them. */
  inPlace: boolean;
}

/**
 * A detail that is no more than the reasons in one line is said once, as a list. What follows them
 * stays.
 */
export function causeText({ basis = [] }: RootCause, detail = ''): CauseText {
  const joined = basis.join('; ');
  if (basis.length === 0 || !detail.startsWith(joined))
    return { detail, reasons: basis, inPlace: false };
  return {
    detail: detail.slice(joined.length).replace(/^[.;]?\s*/, ''),
    reasons: basis,
    inPlace: true,
  };
}

/** The kind of its failure in words; undefined if it is not known. */
export const kindOfCause = ({ kind }: RootCause): string | undefined =>
  kind === 'unknown' ? undefined : kind?.replaceAll('-', ' ');

/** A claim with the name of its node, once. */
export function claimText(
  model: RunModel,
  { node, title }: { node: string; title: string },
): string {
  const name = model.nameOf(node);
  return title.startsWith(name) ? title : `${name}: ${title}`;
}
