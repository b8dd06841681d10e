/** Sent to the window: graphs show the whole topology again. */
export const FIT_GRAPH = 'console:fit';
