import { z } from 'zod';
import { SOURCE_KINDS, type SourceKind } from '../../domain/chat/chat.js';
import { LIMIT_BOUNDS } from '../../domain/limits/limit-bounds.js';
import { clip } from '../../lib/text.js';
import { readContextId } from '../conversation.js';
import type { OracleRequest } from '../oracle-request.js';
import {
  CONTEXT_FORM,
  contextIdSchema,
  messageSchema,
  onDisconnectSchema,
  runIdSchema,
} from './schemas.js';

const [, , LEAST_TOKENS, MOST_TOKENS] = LIMIT_BOUNDS.tokenBudget;
const tokensMessage = `must be an integer from ${LEAST_TOKENS} to ${MOST_TOKENS}`;

/** Characters of a name of another service. */
const MOST_NAME = 200;

const isSource = (name: unknown): name is SourceKind => SOURCE_KINDS.includes(name as SourceKind);

/** The text that a page sends as a name; undefined if it sends nothing or an empty text. */
const nameOf = (value: unknown): string | undefined =>
  value === undefined || value === null || value === ''
    ? undefined
    : clip(typeof value === 'string' ? value : JSON.stringify(value), MOST_NAME);

/** A topology's id, or the page's name of its project. */
function projectOf(value: unknown): Partial<OracleRequest> {
  const name = nameOf(value);
  if (name === undefined) return {};
  return /^[1-9]\d{0,14}$/.test(name) ? { topologyId: Number(name) } : { unknownTopology: name };
}

/**
 * Body of `/api/oracle/stream` and `/api/oracle`. Pages send names of another service, so unknown
 * sources are ignored (none left means all), and an unknown project or model, of whatever type, is
 * replaced by the default.
 */
export const oracleQuestion = z
  .object({
    question: messageSchema,
    sources: z
      .unknown()
      .meta({
        type: 'array',
        nullable: true,
        items: {},
        description: `Some of ${SOURCE_KINDS.join(', ')}; others are ignored`,
      })
      .optional(),
    context_id: z.union([z.literal(''), contextIdSchema], CONTEXT_FORM).nullish(),
    model: z
      .unknown()
      .meta({
        type: 'string',
        nullable: true,
        description: 'The name of a model; an unknown one is replaced by the default',
      })
      .optional(),
    thinking: z.boolean('must be true or false').nullish(),
    max_tokens: z
      .int(tokensMessage)
      .min(LEAST_TOKENS, tokensMessage)
      .max(MOST_TOKENS, tokensMessage)
      .nullish(),
    run_id: runIdSchema.nullish(),
    project_id: z
      .unknown()
      .meta({
        anyOf: [{ type: 'string', nullable: true }, { type: 'integer' }],
        description: 'The id of a topology; an unknown one is replaced by that of the conversation',
      })
      .optional(),
    onDisconnect: onDisconnectSchema.optional(),
  })
  .transform((asked): OracleRequest => {
    const sources = Array.isArray(asked.sources) ? asked.sources.filter(isSource) : [];
    return {
      message: asked.question,
      ...(asked.context_id && readContextId(asked.context_id)),
      ...projectOf(asked.project_id),
      runId: asked.run_id ?? undefined,
      sources: sources.length > 0 ? [...new Set(sources)] : undefined,
      model: nameOf(asked.model),
      thinking: asked.thinking ?? undefined,
      tokenBudget: asked.max_tokens ?? undefined,
      onDisconnect: asked.onDisconnect,
      lenient: true,
      exclusive: true,
    };
  });
