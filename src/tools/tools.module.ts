import { Global, Module } from '@nestjs/common';
import { SourcesModule } from '../sources/sources.module.js';
import { ToolRegistry } from './tool-registry.js';
import { ToolsController } from './tools.controller.js';

@Global()
@Module({
  imports: [SourcesModule],
  providers: [ToolRegistry],
  controllers: [ToolsController],
  exports: [ToolRegistry],
})
export class ToolsModule {}
