/**
 * Ends this process with SIGTERM when its parent has ended, also if SIGKILL ended the parent. An
 * orphan gets another parent, so a changed `ppid` is the sign. (The npm scripts use `exec node
 * ...`, because some shells would otherwise stay between npm and node.)
 */
export function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
    // Ends this process even if it hangs: there is no parent left that could.
    const grace = (Number(process.env.SHUTDOWN_GRACE_SECONDS) || 10) + 10;
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), grace * 1000).unref();
  }, 250);
  timer.unref();
}
