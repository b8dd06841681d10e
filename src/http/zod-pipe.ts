import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { parseWith } from './parse.js';

/** Parses a body, a query or a parameter with a schema. */
export class ZodPipe<T> implements PipeTransform<unknown, T> {
  constructor(private readonly schema: z.ZodType<T>) {}

  /** @throws ConsiliumError VALIDATION_FAILED with every fault */
  transform(value: unknown, { data, type }: ArgumentMetadata): T {
    return parseWith(this.schema, value, data ?? type);
  }
}
