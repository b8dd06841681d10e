/** Types of scripts, which are plain JavaScript. */
declare module '*/scripts/lib/build.mjs' {
  export function ensureBuilt(root: string): Promise<boolean>;
  export function builtFrom(root: string): string | undefined;
  export function fingerprint(root: string): string;
}
