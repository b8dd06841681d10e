/** The limits of a run with their bounds and defaults. Wire contract, section 4. */
export interface LimitField {
  name: string;
  snake: string;
  label: string;
  help: string;
  min: number;
  max: number;
  chat: number;
  diagnosis: number;
  unit: string;
}

const field = (
  name: string,
  label: string,
  help: string,
  [min, max]: [number, number],
  [chat, diagnosis]: [number, number],
  unit: string,
): LimitField => ({
  name,
  snake: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  label,
  help,
  min,
  max,
  chat,
  diagnosis,
  unit,
});

export const LIMITS: readonly LimitField[] = [
  field(
    'maxIterations',
    'Turns of one agent',
    'so often its model is asked',
    [1, 50],
    [15, 15],
    'turns',
  ),
  field(
    'tokenBudget',
    'Tokens of the run',
    'all agents share them',
    [100, 2_000_000],
    [50_000, 500_000],
    'tokens',
  ),
  field(
    'timeoutSeconds',
    'Time of the run',
    'then agents report what they have',
    [10, 3_600],
    [120, 900],
    's',
  ),
  field('softWarningPercent', 'Warn of turns at', '', [50, 90], [70, 70], '%'),
  field('tokenWarningPercent', 'Warn of tokens at', '', [50, 95], [80, 80], '%'),
  field('maxToolCallsPerTurn', 'Tool calls in a turn', '', [1, 200], [20, 20], 'calls'),
  field('maxParallelTools', 'Tools at once', 'of one agent', [1, 10], [3, 3], 'calls'),
  field('toolTimeoutSeconds', 'Time of one tool', '', [1, 300], [30, 30], 's'),
];
