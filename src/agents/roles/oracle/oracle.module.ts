import { Module } from '@nestjs/common';
import { TopologyStoreModule } from '../../../topologies/topology-store.module.js';
import { AgentRuntimeModule } from '../../runtime/agent-runtime.module.js';
import { Diagnoses } from './diagnoses.js';
import { Lookup } from './lookup.js';
import { OracleBehaviour } from './oracle.behaviour.js';
import { OracleProcessor } from './oracle.processor.js';

@Module({
  imports: [AgentRuntimeModule, TopologyStoreModule],
  providers: [Lookup, Diagnoses, OracleBehaviour, OracleProcessor],
})
export class OracleModule {}
