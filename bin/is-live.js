#!/usr/bin/env node
// Ends with 0 where the server of this container answers: for its health check, as an image may have no curl.
const url = `http://127.0.0.1:${process.env.METASTORE_PORT ?? '8040'}/health/live`
try {
  // The system takes connections for a process that hangs, too: then no answer ever comes.
  const answer = await fetch(url, { signal: AbortSignal.timeout(5000) })
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(`No answer from ${url}: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
