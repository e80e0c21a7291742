import { positive, programArguments, whole } from '../../bench/support/command-options.js'
import { type Fuzzed, fuzz } from './fuzz-loop.js'
import { startTarget } from './fuzz-target.js'

const usage = `npm run fuzz -- [options]

Sends generated requests to a server it has started. Ends with 1 at the first thing that is wrong, with the seed and the
smallest request that still shows it; and, after a minute or more, where an operation was never answered with a success.`

/** Seconds from which a run must have one success of every operation. Shorter runs are not checked for that. */
const longEnough = 60

/** Limit of the summary, in characters. */
const maxSummary = 300

const {
  seconds,
  seed,
  requests = Number.POSITIVE_INFINITY,
} = programArguments(usage, {
  seconds: { ...positive('Seconds it takes'), default: 60 },
  seed: { ...whole('Decides what is sent', { from: 0 }), default: 1 },
  requests: whole('Requests it sends at most'),
})
const target = await startTarget()
process.stdout.write(`Fuzzing ${target.base}\n`)
try {
  const fuzzed = await fuzz(target, { seconds, seed, requests })
  const wrong = wrongWith(fuzzed)
  if (wrong.length > 0) {
    process.stderr.write(`Seed ${seed}, after ${fuzzed.count} requests: ${wrong.join('\n')}\n`)
    // Repeats the report in a short form, because a log can end before a long command.
    process.stderr.write(`Wrong: ${wrong.join(' ').slice(0, maxSummary)}\n`)
    process.exitCode = 1
  } else {
    const told = [...fuzzed.statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, times]) => `${status}: ${times}`)
    process.stdout.write(
      `Seed ${seed}: ${fuzzed.count} requests, nothing wrong. Statuses ${told.join(', ')}.\n`,
    )
  }
} finally {
  await target.remove()
}

function wrongWith({ wrong, unsuccessful }: Fuzzed): readonly string[] {
  if (wrong !== undefined) return [wrong]
  if (seconds < longEnough || Number.isFinite(requests)) return []
  return unsuccessful.map(name => `${name} was never answered with a success.`)
}
