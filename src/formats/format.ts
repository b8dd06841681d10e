/** What a run can be streamed as. Contract section 7. */
export const FORMATS = ['executor', 'flat', 'oracle', 'agent', 'chat', 'ag-ui', 'ai-sdk'] as const;
export type Format = (typeof FORMATS)[number];

export const isFormat = (name: unknown): name is Format =>
  (FORMATS as readonly unknown[]).includes(name);

/** Response headers that a format asks for beside those of every stream. */
export const formatHeaders = (format: Format): Record<string, string> =>
  format === 'ai-sdk' ? { 'x-vercel-ai-ui-message-stream': 'v1' } : {};

/** Whether an event may become several frames, so that there are cursors between them. */
export const hasParts = (format: Format): boolean => format !== 'executor' && format !== 'flat';
