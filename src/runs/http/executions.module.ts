import { Module } from '@nestjs/common';
import { StreamsModule } from '../../streams/streams.module.js';
import { TopologiesModule } from '../../topologies/topologies.module.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionStreams } from './execution-streams.js';
import { ExecutionsService } from './executions.service.js';

@Module({
  imports: [TopologiesModule, StreamsModule],
  controllers: [ExecutionsController],
  providers: [ExecutionsService, ExecutionStreams],
})
export class ExecutionsModule {}
