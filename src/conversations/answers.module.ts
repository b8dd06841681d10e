import { Module } from '@nestjs/common';
import { TurnAnswers } from './answers.js';
import { ConversationStore } from './conversation-store.js';
import { Exchanges } from './exchanges.js';

/**
 * What conversations keep. In every process: whichever drops the logs of turns sees to it that
 * their answers stay, and whichever starts a turn again that its conversation knows it.
 */
@Module({
  providers: [ConversationStore, TurnAnswers, Exchanges],
  exports: [ConversationStore, TurnAnswers, Exchanges],
})
export class AnswersModule {}
