import type { z } from 'zod';

/** The fault of a decision with more fields than a decision may have, such as `args`. */
export const aboutTheCall = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'unrecognized_keys'
    ? `has unknown keys (${issue.keys.join(', ').slice(0, 200)}): a decision is about the call as it was shown, which cannot be edited`
    : undefined;
