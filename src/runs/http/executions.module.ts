import { Module } from '@nestjs/common';
import { StreamsModule } from '../../streams/streams.module.js';
import { TopologiesModule } from '../../topologies/topologies.module.js';
import { AgUiRunsController } from './ag-ui-runs.controller.js';
import { AgUiRuns } from './ag-ui-runs.js';
import { ApprovalsController } from './approvals.controller.js';
import { ExecutionsController } from './executions.controller.js';
import { EventPages } from './event-pages.js';
import { ExecutionChanges } from './execution-changes.js';
import { ExecutionComparison } from './execution-comparison.js';
import { ExecutionList } from './execution-list.js';
import { ExecutionStreams } from './execution-streams.js';
import { ExecutionsService } from './executions.service.js';
import { LimitsController } from './limits.controller.js';
import { RunChanges } from './run-changes.js';
import { RunDigests } from './run-digests.js';
import { StreamTicketsController } from './stream-tickets.controller.js';

@Module({
  imports: [TopologiesModule, StreamsModule],
  controllers: [
    AgUiRunsController,
    ApprovalsController,
    ExecutionsController,
    LimitsController,
    StreamTicketsController,
  ],
  providers: [
    AgUiRuns,
    ExecutionsService,
    ExecutionStreams,
    EventPages,
    ExecutionComparison,
    ExecutionList,
    ExecutionChanges,
    RunChanges,
    RunDigests,
  ],
})
export class ExecutionsModule {}
