import { runCommand } from './run-command.js';

process.exit(
  await runCommand(async (signal) => {
    const { diagnoseCommand } = await import('./diagnose-command.js');
    return () => diagnoseCommand(signal);
  }, 2),
);
