import { Module } from '@nestjs/common';
import { StreamsModule } from '../streams/streams.module.js';
import { TopologiesModule } from '../topologies/topologies.module.js';
import { AgentConfig } from './agent-config.js';
import { Answers } from './answers.js';
import { ChatController } from './chat.controller.js';
import { ChatStreams } from './chat-streams.js';
import { ConversationStore } from './conversation-store.js';
import { OracleController } from './oracle.controller.js';
import { OracleTurns } from './oracle-turns.js';
import { Turns } from './turns.js';

/** Conversations with the oracle, over HTTP. Contract section 8. */
@Module({
  imports: [TopologiesModule, StreamsModule],
  controllers: [ChatController, OracleController],
  providers: [ConversationStore, Answers, AgentConfig, Turns, OracleTurns, ChatStreams],
})
export class ChatModule {}
