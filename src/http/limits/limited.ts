import { SetMetadata } from '@nestjs/common';
import type { Rate } from './rate-limits.js';

export const LIMITED = Symbol('the limits of a route');

/** What is counted for the caller of a route; `streams`: as long as its response is open. */
export type Limit = Exclude<Rate, 'requests'> | 'streams';

/** Declares the limits of a route in addition to the rate of requests. */
export const Limited = (...limits: Limit[]) => SetMetadata(LIMITED, limits);
