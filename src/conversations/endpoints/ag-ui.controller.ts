import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { ZodPipe } from '../../http/zod-pipe.js';
import { cutContext } from '../cut-context.js';
import { lastQuestion } from '../last-question.js';
import type { OracleRequest } from '../oracle-request.js';
import { ChatStreams } from './chat-streams.js';
import { Streams } from './chat.openapi.js';
import {
  conversationIdSchema,
  messagesOf,
  onDisconnectSchema,
  shortText,
  topologyIdSchema,
} from './schemas.js';
import { Limited } from '../../http/limits/limited.js';
import { Requires } from '../../http/access/requires.js';

const LONGEST_RUN_ID = 128;

const agUiSchema = z
  .object({
    threadId: conversationIdSchema,
    runId: shortText(LONGEST_RUN_ID).nullish(),
    messages: messagesOf(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
    context: z.array(z.object({ description: z.string(), value: z.string() })).nullish(),
    forwardedProps: z
      .looseObject({
        topologyId: topologyIdSchema.nullish(),
        onDisconnect: onDisconnectSchema.optional(),
      })
      .nullish(),
  })
  .transform(({ threadId, runId, messages, context, forwardedProps }, issues): OracleRequest => {
    const about = (context ?? []).map(({ description, value }) => `${description}: ${value}`);
    const asked = messages.map(({ role, content }) => ({ role, content }));
    return {
      message: lastQuestion(asked, issues),
      conversationId: threadId,
      clientRunId: runId ?? undefined,
      topologyId: forwardedProps?.topologyId ?? undefined,
      context: cutContext(about.join('\n')),
      onDisconnect: forwardedProps?.onDisconnect,
    };
  });

const EXAMPLE = {
  threadId: 'talk-1',
  runId: 'run-1',
  messages: [{ id: 'm1', role: 'user', content: 'Is the shop healthy?' }],
  forwardedProps: { topologyId: 1 },
};

/** AG-UI clients. */
@ApiTags('conversations')
@Controller('ag-ui')
@Requires('chat')
export class AgUiController {
  constructor(private readonly streams: ChatStreams) {}

  @Post()
  @Limited('chats', 'streams')
  @Streams(
    'Ask the oracle as an AG-UI client does (`RunAgentInput`), in format `ag-ui`',
    { format: 'ag-ui', body: agUiSchema, example: EXAMPLE },
    'The last message of the user is asked; earlier messages are those that the conversation `threadId` has. `forwardedProps.topologyId` names the topology.',
  )
  run(
    @Body(new ZodPipe(agUiSchema)) turn: OracleRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.stream(response, 'ag-ui', turn);
  }
}
