import type { z } from 'zod';

/**
 * Checks what a model wrote as arguments.
 * @returns the arguments, or what is wrong with them, for the model. Never throws: zod's length checks do on hostile objects
 */
export function checkArgs<T>(schema: z.ZodType<T>, args: unknown): { args: T } | { fault: string } {
  try {
    const parsed = schema.safeParse(args);
    if (parsed.success) return { args: parsed.data };
    return {
      fault: parsed.error.issues
        .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
        .join('; '),
    };
  } catch {
    return { fault: 'arguments: they are not of the form that the schema describes' };
  }
}
