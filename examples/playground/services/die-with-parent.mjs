/**
 * Ends this process when its parent has ended: the kernel closes the IPC channel even after
 * SIGKILL. Ctrl-C reaches the whole process group, so the parent stops the shop in order.
 */
export function dieWithParent() {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
}
