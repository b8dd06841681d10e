/** What a tool printed or a server answered. */
export interface OwnOutput {
  text: string;
  /** Of a command. */
  code?: number;
}
