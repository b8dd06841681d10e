/**
 * Ends this process as SIGTERM would when its parent is gone, also by SIGKILL, of which nobody is told. An orphan's parent
 * becomes another process, so a changed `ppid` is the sign. (The npm scripts say `exec node ...`, since some shells would
 * stay between npm and node, and not end with npm.)
 */
export function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
    // Nobody is left to notice one that hangs.
    const grace = (Number(process.env.SHUTDOWN_GRACE_SECONDS) || 10) + 10;
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), grace * 1000).unref();
  }, 250);
  timer.unref();
}
