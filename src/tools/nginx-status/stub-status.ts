/**
 * What nginx counts of its connections:
 * https://nginx.org/en/docs/http/ngx_http_stub_status_module.html
 */
export interface StubStatus {
  active: number;
  /** Since the start. Fewer are handled than accepted if `worker_connections` was reached. */
  accepted: number;
  handled: number;
  requests: number;
  reading: number;
  writing: number;
  waiting: number;
}

const FORM =
  /^Active connections: (\d{1,15}) ?\r?\nserver accepts handled requests\r?\n (\d{1,15}) (\d{1,15}) (\d{1,15}) ?\r?\nReading: (\d{1,15}) Writing: (\d{1,15}) Waiting: (\d{1,15})\s*$/;

/** The page of stub_status; undefined if the text is something else. */
export function parseStubStatus(text: string): StubStatus | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [
    active = 0,
    accepted = 0,
    handled = 0,
    requests = 0,
    reading = 0,
    writing = 0,
    waiting = 0,
  ] = found.slice(1).map(Number);
  return { active, accepted, handled, requests, reading, writing, waiting };
}
