import type { PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { Fault } from '../domain/errors.js';
import { misspeltOfMissing } from './misspelt-keys.js';
import { invalid } from './parse.js';

/** Validates a body with the decorators of its class. Unknown keys are dropped first. */
export class DtoPipe<T extends object> implements PipeTransform<unknown, T> {
  private readonly keys: string[];

  /** @param more faults that decorators cannot express */
  constructor(
    private readonly type: new () => T,
    private readonly more: (body: T) => Fault[] = () => [],
  ) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    this.keys = [...new Set(rules.map(({ propertyName }) => propertyName))];
  }

  /** @throws ConsiliumError VALIDATION_FAILED with every fault */
  transform(body: unknown): T {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw invalid([{ path: 'body', message: 'must be a JSON object' }]);
    const known = Object.entries(body).filter(([key]) => this.keys.includes(key));
    const request = plainToInstance(this.type, Object.fromEntries(known));
    const faults = validateSync(request).map(({ property, constraints }) => ({
      path: property,
      message: Object.values(constraints ?? {})[0] ?? 'is not valid',
    }));
    faults.push(...this.more(request));
    if (faults.length > 0)
      throw invalid([...faults, ...misspeltOfMissing(body, this.keys, faults)]);
    return request;
  }
}
