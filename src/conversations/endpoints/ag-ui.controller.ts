import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Streams } from './chat.openapi.js';
import { ChatStreams } from './chat-streams.js';
import { cutContext } from '../cut-context.js';
import {
  conversationIdSchema,
  messagesOf,
  parseBody,
  shortText,
  topologyIdSchema,
} from './parse-body.js';
import { lastQuestion } from '../last-question.js';

const LONGEST_RUN_ID = 128;

const agUiSchema = z.object({
  threadId: conversationIdSchema,
  runId: shortText(LONGEST_RUN_ID).nullish(),
  messages: messagesOf(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  context: z.array(z.object({ description: z.string(), value: z.string() })).nullish(),
  forwardedProps: z.looseObject({ topologyId: topologyIdSchema.nullish() }).nullish(),
});

/** AG-UI clients. */
@ApiTags('conversations')
@Controller('ag-ui')
export class AgUiController {
  constructor(private readonly streams: ChatStreams) {}

  @Post()
  @Streams(
    'Ask the oracle as an AG-UI client does (`RunAgentInput`), in format `ag-ui`',
    agUiSchema,
    'The last message of the user is asked; what was said before is what the conversation `threadId` knows. `forwardedProps.topologyId` names the topology.',
  )
  async run(
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { threadId, runId, messages, context, forwardedProps } = parseBody(agUiSchema, body);
    const about = (context ?? []).map(({ description, value }) => `${description}: ${value}`);
    await this.streams.stream(request, response, 'ag-ui', {
      message: lastQuestion(messages.map(({ role, content }) => ({ role, content }))),
      conversationId: threadId,
      clientRunId: runId ?? undefined,
      topologyId: forwardedProps?.topologyId ?? undefined,
      context: cutContext(about.join('\n')),
    });
  }
}
