import type { Issue } from '../tool-result.js';

/** An entry of the catalogue of next steps. */
const ENTRY = /^[a-z0-9-]{1,60}$/;

/**
 * Names in the form in which people type them in a command: no character with a meaning for a
 * shell, and no leading `-`, which would begin an option.
 */
const NAME = '[\\w./][\\w./-]{0,254}';
const PART = new RegExp(`^${NAME}(?:, ${NAME}){0,4}$`);

/** The fields of a tool's issue for next steps, if their values have a valid form. */
export const nextStepsOfIssue = ({
  steps,
  part,
}: Partial<Record<keyof Issue, unknown>>): Pick<Issue, 'steps' | 'part'> => ({
  ...(typeof steps === 'string' && ENTRY.test(steps) && { steps }),
  ...(typeof part === 'string' && PART.test(part) && { part }),
});
