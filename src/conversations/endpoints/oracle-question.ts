import { z } from 'zod';
import { SOURCE_KINDS, type SourceKind } from '../../domain/chat/chat.js';
import { LIMIT_BOUNDS } from '../../domain/limits/limit-bounds.js';
import { readContextId } from '../conversation.js';
import type { Turn } from '../turn.js';
import {
  contextIdSchema,
  messageSchema,
  onDisconnectSchema,
  runIdSchema,
  shortText,
} from './schemas.js';

const [, , LEAST_TOKENS, MOST_TOKENS] = LIMIT_BOUNDS.tokenBudget;
const tokensMessage = `must be an integer from ${LEAST_TOKENS} to ${MOST_TOKENS}`;

const isSource = (name: unknown): name is SourceKind => SOURCE_KINDS.includes(name as SourceKind);

/** A topology's id, or the name that a page has for its project. */
function projectOf(id: string | number | null | undefined): Partial<Turn> {
  if (id === undefined || id === null || id === '') return {};
  const topologyId = Number(id);
  return /^[1-9]\d{0,14}$/.test(String(id)) ? { topologyId } : { unknownTopology: String(id) };
}

/**
 * Body of `/api/oracle/stream` and `/api/oracle`. Pages send names that are those of another service, so
 * unknown sources are ignored (none left means all), and an unknown project or model is replaced by the default.
 */
export const oracleQuestion = z
  .object({
    question: messageSchema,
    sources: z
      .array(z.unknown())
      .nullish()
      .meta({ description: `Some of ${SOURCE_KINDS.join(', ')}; others are ignored` }),
    context_id: contextIdSchema.nullish(),
    model: shortText(200, 'must be the name of a model; see GET /api/service/v1/models').nullish(),
    thinking: z.boolean().nullish(),
    max_tokens: z
      .int(tokensMessage)
      .min(LEAST_TOKENS, tokensMessage)
      .max(MOST_TOKENS, tokensMessage)
      .nullish(),
    run_id: runIdSchema.nullish(),
    project_id: z.union([z.string().max(200), z.number()]).nullish(),
    onDisconnect: onDisconnectSchema.optional(),
  })
  .transform((asked): Turn => {
    const sources = (asked.sources ?? []).filter(isSource);
    return {
      message: asked.question,
      ...(asked.context_id && readContextId(asked.context_id)),
      ...projectOf(asked.project_id),
      runId: asked.run_id ?? undefined,
      sources: sources.length > 0 ? [...new Set(sources)] : undefined,
      model: asked.model ?? undefined,
      thinking: asked.thinking ?? undefined,
      tokenBudget: asked.max_tokens ?? undefined,
      onDisconnect: asked.onDisconnect,
      lenient: true,
      exclusive: true,
    };
  });
