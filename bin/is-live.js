#!/usr/bin/env node
// Ends with 0 where the server of this container answers: for its health check, as an image may have no curl.
const port = process.env.METASTORE_PORT ?? '8040'
const answer = await fetch(`http://127.0.0.1:${port}/health/live`)
process.exitCode = answer.ok ? 0 : 1
