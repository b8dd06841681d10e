import { Module, type DynamicModule } from '@nestjs/common';
import { AlertsModule } from './alerts/alerts.module.js';
import { GlobalSupervisorModule } from './agents/roles/global-supervisor/global-supervisor.module.js';
import { OracleModule } from './agents/roles/oracle/oracle.module.js';
import { TeamSupervisorModule } from './agents/roles/team-supervisor/team-supervisor.module.js';
import { WorkerModule } from './agents/roles/worker/worker.module.js';
import { BehavioursModule } from './behaviours/behaviours.module.js';
import { TurnAnswers } from './conversations/answers.js';
import { AnswersModule } from './conversations/answers.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { Exchanges } from './conversations/exchanges.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/config.js';
import { EventLogModule } from './event-log/event-log.module.js';
import { ExecutionsModule } from './runs/http/executions.module.js';
import { AccessModule } from './http/access/access.module.js';
import { HealthModule } from './ops/health/health.module.js';
import { ModelsModule } from './models/models.module.js';
import type { ModelEntry } from './models/models.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule, RunOutcomesModule } from './ops/metrics/metrics.module.js';
import { RunOutcomes } from './ops/metrics/run-outcomes.js';
import { RunTraces } from './ops/traces/run-traces.js';
import { TracesModule } from './ops/traces/traces.module.js';
import { TelemetryModule } from './ops/telemetry/telemetry.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { PromptsModule } from './prompts/prompts.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { RedisModule } from './redis/redis.module.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { StatusModule } from './ops/status/status.module.js';
import { StreamsModule } from './streams/streams.module.js';
import { ReportOutbox } from './reports/report-outbox.js';
import { ReportsApiModule, ReportsModule } from './reports/reports.module.js';
import { RunsModule } from './runs/runs.module.js';
import { ToolsModule } from './tools/tools.module.js';
import { TopologiesModule } from './topologies/topologies.module.js';

const API = [
  TopologiesModule,
  ExecutionsModule,
  AlertsModule,
  ReportsApiModule,
  SchedulesModule,
  ConversationsModule,
  McpModule,
];
const AGENTS = [OracleModule, GlobalSupervisorModule, TeamSupervisorModule, WorkerModule];

/**
 * The whole service, or the part that a role needs. A worker process serves only health and
 * metrics.
 */
@Module({})
export class AppModule {
  /** @param models in addition to those of the configuration */
  static for(config: Config, models: readonly ModelEntry[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        RedisModule,
        TelemetryModule,
        AccessModule,
        EventLogModule,
        StreamsModule,
        QueuesModule,
        ModelsModule.with(models),
        ToolsModule,
        BehavioursModule.with(config.behavioursDir),
        PromptsModule,
        NotificationsModule,
        AnswersModule,
        RunsModule.with(
          [AnswersModule, ReportsModule, RunOutcomesModule, TracesModule],
          [Exchanges, TurnAnswers, RunOutcomes],
          [ReportOutbox, RunOutcomes, RunTraces],
        ),
        HealthModule,
        MetricsModule,
        StatusModule.with(config.role),
        ...(config.role === 'worker' ? [] : API),
        ...(config.role === 'api' ? [] : AGENTS),
      ],
    };
  }
}
