/** Bytes of an event on the wire. */
export const FRAME_BYTES = 350;
/** `retry: 3000` at the start of each of the product's streams. */
export const PREFACE_BYTES = Buffer.byteLength('retry: 3000\n\n');
/** The key to which redis-benchmark adds. */
export const PLAIN_KEY = 'bench-plain';
