import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'
import { ProblemError } from '../../../core/problem.js'
import { type Comparison, problemExitCode, runComparison } from './compare.js'

/*
 * Entry point of a child process that carries out one comparison: it reads a serialized `Comparison`, writes the result
 * and ends.
 */

async function run(): Promise<void> {
  const comparison = deserialize(await buffer(process.stdin)) as Comparison
  try {
    process.stdout.write(runComparison(comparison))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    process.exitCode = problemExitCode
    process.stdout.write(JSON.stringify({ kind: error.kind, message: error.message }))
  }
}

await run()
