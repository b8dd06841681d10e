import { Module } from '@nestjs/common';
import { StreamsModule } from '../streams/streams.module.js';
import { TopologiesModule } from '../topologies/topologies.module.js';
import { AgUiController } from './endpoints/ag-ui.controller.js';
import { AgentConfig } from './agent-config.js';
import { AgentConfigController } from './endpoints/agent-config.controller.js';
import { AgentConversationsController } from './endpoints/agent-conversations.controller.js';
import { AiSdkController } from './endpoints/ai-sdk.controller.js';
import { AnswersModule } from './answers.module.js';
import { ChatController } from './endpoints/chat.controller.js';
import { ChatStreams } from './endpoints/chat-streams.js';
import { Conversations } from './conversations.js';
import { ConversationsController } from './endpoints/conversations.controller.js';
import { MessageQuota } from './message-quota.js';
import { OracleAnswers } from './endpoints/oracle-answers.js';
import { OracleHistory } from './oracle-history.js';
import { OracleController } from './endpoints/oracle.controller.js';
import { CallerTurns } from './caller-turns.js';
import { TurnAdmission } from './turn-admission.js';
import { TurnGround } from './turn-ground.js';
import { TurnPlanner } from './turn-planner.js';
import { Turns } from './turns.js';

/** Conversations with the oracle, over HTTP. Contract section 8. */
@Module({
  imports: [TopologiesModule, StreamsModule, AnswersModule],
  controllers: [
    ChatController,
    OracleController,
    AgentConversationsController,
    AgUiController,
    AiSdkController,
    ConversationsController,
    AgentConfigController,
  ],
  providers: [
    OracleAnswers,
    OracleHistory,
    MessageQuota,
    Conversations,
    AgentConfig,
    TurnAdmission,
    TurnGround,
    TurnPlanner,
    Turns,
    CallerTurns,
    ChatStreams,
  ],
})
export class ConversationsModule {}
