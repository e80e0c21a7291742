// Starts the program of this build, as bin/git-metastore.js starts that of `dist`.
import { appendFileSync } from 'node:fs'
import { main } from '../../../src/cli/main.js'
import { eventLoopVariable, recordHolds } from './event-loop-monitor.js'

const args = process.argv.slice(2)
// The file for differences between answers and the description. Only a server answers, and other commands start faster
// without the check.
const file = process.env.WRONG_ANSWERS_FILE
const holds = process.env[eventLoopVariable]
if (args[0] === 'serve' && holds !== undefined) recordHolds(holds)
if (args[0] === 'serve' && file !== undefined) {
  const { interceptResponses } = await import('../answer-checks/intercept-answers.js')
  interceptResponses(wrong => appendFileSync(file, `${wrong}\n`))
}
await main(args)
