import { Module } from '@nestjs/common';
import { Answers } from './answers.js';
import { ConversationStore } from './conversation-store.js';

/** What conversations keep. In every process: whichever drops the logs of turns sees to it that their answers stay. */
@Module({ providers: [ConversationStore, Answers], exports: [ConversationStore, Answers] })
export class AnswersModule {}
