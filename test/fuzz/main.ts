import { parseArgs } from 'node:util'
import { type Fuzzed, fuzz } from './fuzz.js'
import { startTarget } from './target.js'

/*
 * npm run fuzz -- --seconds 60 --seed 1 [--requests 100000]
 *
 * Ends with 1 at the first thing that is wrong, with the seed and the smallest request that still shows it; and, after
 * a minute or more, where an operation was never answered with a success.
 */

/** Seconds in which every operation has to succeed once, and without which that says nothing. */
const longEnough = 60

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string' },
  },
})
const [seconds, seed] = [Number(values.seconds), Number(values.seed)]
const requests = values.requests === undefined ? Number.POSITIVE_INFINITY : Number(values.requests)
if ([seconds, seed, requests].some(Number.isNaN)) {
  process.stderr.write('npm run fuzz -- --seconds <number> --seed <number> --requests <number>\n')
  process.exitCode = 2
} else {
  const target = await startTarget()
  process.stdout.write(`Fuzzing ${target.base}\n`)
  try {
    const fuzzed = await fuzz(target, { seconds, seed, requests })
    const wrong = wrongWith(fuzzed)
    if (wrong.length > 0) {
      process.stderr.write(`Seed ${seed}, after ${fuzzed.count} requests: ${wrong.join('\n')}\n`)
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
}

function wrongWith({ wrong, unsuccessful }: Fuzzed): readonly string[] {
  if (wrong !== undefined) return [wrong]
  if (seconds < longEnough || Number.isFinite(requests)) return []
  return unsuccessful.map(name => `${name} was never answered with a success.`)
}
