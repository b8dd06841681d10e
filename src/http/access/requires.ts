import { SetMetadata } from '@nestjs/common';
import type { AccessAction } from '../../domain/roles.js';

export const REQUIRED = Symbol('the action that a route needs');

/**
 * Declares what a route, or every route of a controller, does: the guard refuses those that declare
 * nothing.
 */
export const Requires = (action: AccessAction) => SetMetadata(REQUIRED, action);

/** Declares that a route needs no credential. */
export const Public = () => SetMetadata(REQUIRED, 'public');
