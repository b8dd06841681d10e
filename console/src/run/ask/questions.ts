/** Four questions that fit a run. @param cause the name of the first root cause */
export function questionsFor(cause: string | undefined): string[] {
  if (cause === undefined)
    return [
      'What was checked?',
      'Was it broken before?',
      'How long did it take?',
      'Compare the last two runs',
    ];
  return [
    `Why is ${cause} the root cause?`,
    `Was ${cause} broken before?`,
    'What was checked?',
    'How long did it take?',
  ];
}
