import { z } from 'zod';

/** An integer in a query or a path, with digits only. */
export const integerText = (least: number, most: number, message: string) =>
  z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .meta({ type: 'integer', minimum: least, maximum: most });

/** The `limit` of a page: 1 to `most`. */
export const pageLimit = (most: number, standard: number) =>
  integerText(1, most, `must be an integer from 1 to ${most}`)
    .optional()
    .transform((limit) => limit ?? standard)
    .meta({ description: `1 to ${most}, default ${standard}` });
