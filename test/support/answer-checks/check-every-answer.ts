import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepForXmllint, takeXmllintFaults } from '../oai-pmh/xmllint.js'
import { newestReports } from '../repository/operator-reports.js'
import { failureText, interceptResponses } from './intercept-answers.js'

/*
 * Compares every answer during a test with the OpenAPI description, even if the test does not check the answer. A test
 * fails if an answer differs from the description. A test also fails if an answer has status 500, unless the test has
 * announced that.
 */

/** The file to which servers in other processes write the differences of their answers. */
export const wrongAnswersFile = join(tmpdir(), `git-metastore-answers-${process.pid}`)

const wrong: string[] = []
let failures = false

interceptResponses((answer, status) => {
  if (status !== 500 || !failures) wrong.push(answer)
}, keepForXmllint)

/** Announces that the test makes the server fail. */
export function expectServerErrors(): void {
  failures = true
}

/** Limit of the lines for the operator that are shown with a failed test. The newest lines are shown. */
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

/** Adds lines to the message of an error and to the message in its stack, which mocha shows. */
function addTo(error: Error, lines: string): void {
  const { message, stack } = error
  error.message = `${message}\n${lines}`
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message)
}

// A failed hook ends the whole run, so the test itself makes the comparison at its end.
function compareAtTheEnd(this: Mocha.Context): void {
  failures = false
  const test = this.currentTest
  const run = test?.fn
  if (!test || !run || run.length > 0) return
  test.fn = async function (this: Mocha.Context) {
    try {
      await (run as Mocha.AsyncFunc).call(this)
    } catch (error) {
      // A wrong answer may be the cause of the error. The next test must not report it in any case.
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

// A program that is not a test can import this module, too.
if ('beforeEach' in globalThis) {
  beforeEach(compareAtTheEnd)
  after(throwWrong)
}
