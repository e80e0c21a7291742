#!/usr/bin/env node
// Ends with 0 if the server of this container answers. The health check of the container uses it, because an image may
// have no curl.
const url = `http://127.0.0.1:${process.env.METASTORE_PORT ?? '8040'}/health/live`
try {
  // The system accepts connections even for a hanging process, which never answers.
  const answer = await fetch(url, { signal: AbortSignal.timeout(5000) })
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(`No answer from ${url}: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
