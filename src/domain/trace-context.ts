/** A place in a distributed trace: W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  traceId: string;
  /** 16 hexadecimal digits, not all zero. */
  spanId: string;
  /** Whether the caller records this trace. */
  sampled: boolean;
}

/** A later version of the header may have more fields at the end. */
const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,500})?$/;
const ZEROS = /^0+$/;

/** Parses a `traceparent`. Undefined if it is missing or not valid: such a header is ignored. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = HEADER.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined))
    return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The inverse of {@link readTraceparent}. */
export const writeTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
