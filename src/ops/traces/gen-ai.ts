/**
 * Names of the OpenTelemetry conventions for generative AI (repository
 * `semantic-conventions-genai`). They are in development and still change, so no other file has
 * any.
 */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  workflow: 'gen_ai.workflow.name',
  conversation: 'gen_ai.conversation.id',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
} as const;

/** Values of `gen_ai.operation.name`. The name of a span begins with it. */
export const OPERATION = {
  run: 'invoke_workflow',
  agent: 'invoke_agent',
  call: 'chat',
  tool: 'execute_tool',
} as const;
