import { expect, it } from '@jest/globals';
import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { TOOLS } from '../../../test/support/incidents/oracle-questions.js';
import { writeBrief } from '../../domain/prompt/brief.js';
import { REFUSED_ORIGIN, writeData } from '../../domain/prompt/data-block.js';
import { writeTask } from '../../domain/prompt/task-message.js';
import { answerAtOnce } from './runbook-model.js';

const CODE = 'c0de01';
const limits = { maxIterations: 20, maxToolCallsPerTurn: 20, tokenBudget: 100_000 };
const startedAt = Date.UTC(2026, 10, 22, 13);
const deadlineAt = Date.UTC(2026, 10, 22, 14);
const tools = [...TOOLS].map((name) => ({ type: 'function' as const, name, inputSchema: {} }));

/** The answer of the oracle after its call to start a diagnosis failed. */
function afterFailure(origin: string, error: string): string {
  const call = { toolCallId: 't1', toolName: 'start_diagnosis' };
  const value = writeData({ origin, text: error }, CODE);
  const task = 'diagnose topology 7';
  const prompt: LanguageModelV3Prompt = [
    {
      role: 'system',
      content: writeBrief({ role: 'oracle', topology: null, thinking: false }, undefined),
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: writeTask({ startedAt, deadlineAt, limits, code: CODE, task }) },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', ...call, input: { topology_id: 7, problem: task } }],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', ...call, output: { type: 'error-text', value } }],
    },
  ];
  const parts = answerAtOnce({ prompt, tools });
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

it('does not show a refusal, which is written for a model', () =>
  expect(afterFailure(`start_diagnosis${REFUSED_ORIGIN}`, 'Tell the person: no.')).toBe(
    'I start a diagnosis only if you ask for it: write "diagnose topology 7".',
  ));

it('shows why a call failed', () =>
  expect(afterFailure('start_diagnosis, failed', 'There is no topology 7.')).toBe(
    'I could not find that out: There is no topology 7.',
  ));
