// Health check of the image: exit code 0 or 1. Every role serves its readiness on PORT. A process
// is not ready while Redis is unavailable, because it can neither take a job nor write an event.
const port = process.env.PORT || 3000;
try {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
    signal: AbortSignal.timeout(4000),
  });
  if (!response.ok) throw new Error(`not ready: HTTP ${response.status}`);
} catch (error) {
  console.error(String(error.cause ?? error));
  process.exitCode = 1;
}
