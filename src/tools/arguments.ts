import { z } from 'zod';

/**
 * Fields that several tools take. Defaults are applied by the tools, so that the JSON Schema shows
 * them as optional.
 */
export const nodeArgument = z.string().min(1).describe('Id of the node to look at');
export const triesArgument = z
  .int()
  .min(1)
  .max(10)
  .exactOptional()
  .describe('How many times to try, one after the other; default 3');
export const DEFAULT_TRIES = 3;
