import { SetMetadata } from '@nestjs/common';
import type { Rate } from './rate-limits.js';

export const LIMITED = Symbol('the limits of a route');

/**
 * What is counted for the caller of a route before its handler is called; `streams`: as long as its
 * response is open. A trigger counts itself, while it reads its topology. A route that answers with
 * JSON if the client asks for it counts its streams itself.
 */
export type Limit = Exclude<Rate, 'requests' | 'triggers'> | 'streams';

/** Declares the limits of a route in addition to the rate of requests. */
export const Limited = (...limits: Limit[]) => SetMetadata(LIMITED, limits);
