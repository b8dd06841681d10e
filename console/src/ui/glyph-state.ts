import type { Health } from '../model/types.js';

/** What a glyph says: of a node, a run or an agent. */
export type GlyphState =
  | Health
  | 'info'
  | 'running'
  | 'examining'
  | 'completed'
  | 'healthy'
  | 'partial'
  | 'failed'
  | 'inconclusive'
  | 'cancelled'
  | 'queued'
  | 'cut';
