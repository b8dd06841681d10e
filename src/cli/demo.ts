import { runCommand } from './run-command.js';

process.exit(
  await runCommand(async (signal) => {
    const { demoCommand } = await import('./demo-command.js');
    return () => demoCommand(signal);
  }, 130),
);
