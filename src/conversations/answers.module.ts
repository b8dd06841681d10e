import { Module } from '@nestjs/common';
import { TurnAnswers } from './answers.js';
import { ConversationStore } from './conversation-store.js';
import { Exchanges } from './exchanges.js';

/**
 * The stores of conversations, in every process: the process that drops the logs of turns first
 * stores their answers, and the process that restarts a turn enters it in its conversation.
 */
@Module({
  providers: [ConversationStore, TurnAnswers, Exchanges],
  exports: [ConversationStore, TurnAnswers, Exchanges],
})
export class AnswersModule {}
