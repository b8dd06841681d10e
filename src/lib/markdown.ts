/** Text with what Markdown or HTML would read as markup escaped. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`*_[\]<>|#~]/g, '\\$&').replace(/&/g, '&amp;');

/** Code in a fence that is longer than any run of ticks in it (CommonMark section 6.1). */
export function codeSpan(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([ticks]) => ticks.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  return runs.length > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}
