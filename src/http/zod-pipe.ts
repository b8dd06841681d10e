import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { keysOf, misspeltParameters } from './misspelt-keys.js';
import { invalid, parseWith } from './parse.js';

/**
 * Parses a body, a query or a parameter with a schema. Unknown keys are ignored, except a misspelt
 * parameter of a query: without it, a filter would silently have no effect.
 */
export class ZodPipe<T> implements PipeTransform<unknown, T> {
  private parameters: string[] | undefined;

  constructor(private readonly schema: z.ZodType<T>) {}

  /** @throws ConsiliumError VALIDATION_FAILED with every fault */
  transform(value: unknown, { data, type }: ArgumentMetadata): T {
    if (type === 'query') {
      this.parameters ??= keysOf(this.schema);
      const faults = misspeltParameters(value, this.parameters);
      if (faults.length > 0) throw invalid(faults);
    }
    return parseWith(this.schema, value, data ?? type);
  }
}
