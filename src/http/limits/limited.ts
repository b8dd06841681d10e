import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Refuses } from '../openapi.js';
import type { Rate } from './rate-limits.js';

export const LIMITED = Symbol('the limits of a route');

/** What is counted for the caller of a route; `streams`: as long as its response is open. */
export type Limit = Exclude<Rate, 'requests'> | 'streams';

/** Declares the limits of a route in addition to the rate of requests. */
export const Limited = (...limits: Limit[]): MethodDecorator =>
  applyDecorators(SetMetadata(LIMITED, limits), Refuses('RATE_LIMITED'));
