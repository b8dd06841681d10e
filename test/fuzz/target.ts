import type { Arbitrary } from 'fast-check';

/** Something that reads foreign bytes, and the bytes that it is fed. */
export interface FuzzTarget<Input> {
  name: string;
  input: Arbitrary<Input>;
  /**
   * An input takes some 100 ms, and waits for most of that: fewer are fed, those of a batch at
   * once.
   */
  slow?: true;
  open(): Promise<OpenTarget<Input>>;
}

export interface OpenTarget<Input> {
  /**
   * Rejects where the target answers hostile input by anything but a result or an error of its own.
   */
  run(input: Input): Promise<void>;
  close(): Promise<void>;
}
