import type { Request } from 'express';
import { SOURCE_KINDS } from '../../domain/chat/chat.js';
import { principalOf } from '../../http/access/principal.js';
import { mayDo } from '../../http/access/roles.js';
import type { Turn } from '../turn.js';

/** A turn with the sources that its principal may use: who may not start a diagnosis has no tools that start or probe anything. */
export function permitted(turn: Turn, request: Request): Turn {
  if (mayDo(principalOf(request).role, 'runs:start')) return turn;
  const sources = (turn.sources ?? SOURCE_KINDS).filter((kind) => kind !== 'tools');
  return { ...turn, sources };
}
