import { SetMetadata } from '@nestjs/common';
import type { AccessAction } from '../../domain/roles.js';

export const REQUIRED = Symbol('the action that a route needs');

/**
 * Declares the action of a route, or of every route of a controller: the guard refuses routes that
 * declare none.
 */
export const Requires = (action: AccessAction) => SetMetadata(REQUIRED, action);

/** Declares that a route needs no credential. */
export const Public = () => SetMetadata(REQUIRED, 'public');
