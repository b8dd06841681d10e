import type { Issue } from '../tool-result.js';

/** An entry of the catalogue of next steps. */
const ENTRY = /^[a-z0-9-]{1,60}$/;

/**
 * Names, as people write them into a command: no character that a shell reads, and no `-` in front,
 * which would begin an option.
 */
const NAME = '[\\w./][\\w./-]{0,254}';
const PART = new RegExp(`^${NAME}(?:, ${NAME}){0,4}$`);

/** What a tool says about next steps, as far as its values have their form. */
export const nextStepsOfIssue = ({
  steps,
  part,
}: Partial<Record<keyof Issue, unknown>>): Pick<Issue, 'steps' | 'part'> => ({
  ...(typeof steps === 'string' && ENTRY.test(steps) && { steps }),
  ...(typeof part === 'string' && PART.test(part) && { part }),
});
