import { PREFIX } from './base.js';

const YEAR_SECONDS = 31_536_000;

/** Gives this browser an identity of 128 random bits: conversations belong to their caller. */
export function ensureCaller(): void {
  if (/(?:^|;\s*)consilium_caller=/.test(document.cookie)) return;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  document.cookie = `consilium_caller=${id}; path=${PREFIX || '/'}; max-age=${YEAR_SECONDS}; samesite=strict`;
}
