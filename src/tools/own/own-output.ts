/** What a tool printed or a server answered. */
export interface OwnOutput {
  text: string;
  /** Of a command. */
  code?: number;
  /** What a command wrote to its standard error. */
  stderr?: string;
}
