import { Module } from '@nestjs/common';
import { StreamsModule } from '../../streams/streams.module.js';
import { TopologiesModule } from '../../topologies/topologies.module.js';
import { DisconnectWatch } from './disconnect-watch.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';

@Module({
  imports: [TopologiesModule, StreamsModule],
  controllers: [ExecutionsController],
  providers: [ExecutionsService, DisconnectWatch],
})
export class ExecutionsModule {}
