import { z } from 'zod';

/** The texts of which the instructions of agents are made; each is a file `NAME.md`. */
export const TEXT_NAMES = [
  'global-supervisor',
  'team-supervisor',
  'worker',
  'oracle',
  'librarian',
  'definitions',
  'data',
] as const;
export type TextName = (typeof TEXT_NAMES)[number];

const MOST = 2_000;
const line = z
  .string('must be a text')
  .trim()
  .min(1, 'must not be empty')
  .max(MOST, `must have at most ${MOST} characters`);

/**
 * A step for any node. `{node}` is replaced by its name, `{credential}` by a sentence about where
 * its credential comes from, `{part}` by its failing part, and `<host>`, `<port>`, `<url>`,
 * `<psql>`, `<mysql>`, `<nameserver>`, `<part>`, `<unit>` and `<workload>` by the known values. Of
 * several commands the first is used that fits the node and whose values are all known.
 */
const step = z
  .strictObject(
    {
      look: line.optional(),
      change: line.optional(),
      command: z.union([line, z.array(line).min(1).max(10)]).optional(),
    },
    'must be an object with `look` or `change`',
  )
  .refine(({ look, change }) => (look === undefined) !== (change === undefined), {
    message: 'must have either `look` or `change`',
  });

/** Descriptions of tools by name. */
export const toolTexts = z.record(
  z.string(),
  line,
  'must be an object of tools with their descriptions',
);

/** What to inspect and what to change, by kind of failure; in the order of the attempts. */
export const nextStepTexts = z.record(
  z.string(),
  z.array(step, 'must be a list of steps').max(20, 'must be at most 20 steps'),
  'must be an object of kinds of failure with their steps',
);
export type NextStepCatalogue = z.output<typeof nextStepTexts>;

/** All texts for models and reports that an operator may replace. docs/prompts.md */
export const promptsSchema = z.object({
  texts: z.record(z.enum(TEXT_NAMES), z.string().min(1)),
  tools: toolTexts,
  nextSteps: nextStepTexts,
});
export type Prompts = z.output<typeof promptsSchema>;
