import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepForXmllint, takeXmllintFaults } from '../oai-pmh/xmllint.js'
import { newestReports } from '../repository/operator-reports.js'
import { failureText, interceptResponses } from './intercept-answers.js'

/*
 * Every answer in a test is compared with the description of the interface, also those the test does not look at.
 * A test in which one is not as described fails, and so does one with a 500 it has not announced.
 */

/** The file in which servers in processes of their own say what was wrong with their answers. */
export const wrongAnswersFile = join(tmpdir(), `git-metastore-answers-${process.pid}`)

const wrong: string[] = []
let failures = false

interceptResponses((answer, status) => {
  if (status !== 500 || !failures) wrong.push(answer)
}, keepForXmllint)

/** For a test that makes the server fail. */
export function expectServerErrors(): void {
  failures = true
}

/** Lines for the operator that are shown with a test that failed, the newest ones. */
const maxReports = 10

function takeWrong(): readonly string[] {
  if (existsSync(wrongAnswersFile)) {
    const told = readFileSync(wrongAnswersFile, 'utf8').split('\n')
    wrong.push(...told.filter(line => line !== '' && !(failures && line.endsWith(failureText))))
    rmSync(wrongAnswersFile)
  }
  wrong.push(...takeXmllintFaults())
  return wrong.splice(0)
}

function throwWrong(): void {
  const answers = takeWrong()
  if (answers.length > 0) throw new Error(wording(answers))
}

function wording(answers: readonly string[]): string {
  return `Answers that are not as described:\n${answers.join('\n')}`
}

/** Adds lines to the message of an error, also to that in its stack, which mocha shows. */
function addTo(error: Error, lines: string): void {
  const { message, stack } = error
  error.message = `${message}\n${lines}`
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message)
}

// A hook that fails ends the whole run, so the comparison is made at the end of the test itself.
function compareAtTheEnd(this: Mocha.Context): void {
  failures = false
  const test = this.currentTest
  const run = test?.fn
  if (!test || !run || run.length > 0) return
  test.fn = async function (this: Mocha.Context) {
    try {
      await (run as Mocha.AsyncFunc).call(this)
    } catch (error) {
      // it may have failed for this very reason; in any case the next test is not to blame
      const answers = takeWrong()
      if (error instanceof Error) {
        const reports = newestReports(maxReports)
        if (answers.length > 0) addTo(error, wording(answers))
        if (reports.length > 0) addTo(error, `The services reported:\n${reports.join('\n')}`)
      }
      throw error
    }
    throwWrong()
  }
}

// Not where a program that is no test uses what tests use.
if ('beforeEach' in globalThis) {
  beforeEach(compareAtTheEnd)
  after(throwWrong)
}
