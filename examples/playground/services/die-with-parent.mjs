/**
 * Ends this process when its parent is gone, in whatever way it went: the kernel closes the IPC channel for it, also after
 * SIGKILL. Ctrl-C reaches the whole process group, so it is left to the parent to stop the shop in order.
 */
export function dieWithParent() {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
}
