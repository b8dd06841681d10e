/** An answer that is not plain text. What it quotes is escaped. */
export interface MarkdownText {
  markdown: string;
}
