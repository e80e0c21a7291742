import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { watchAnswers } from './watch-answers.js'

/*
 * Every answer in a test is compared with the description of the interface, also those the test does not look at.
 * A test in which one is not as described fails, and so does one with a 500 it has not announced.
 */

/** The file in which servers in processes of their own say what was wrong with their answers. */
export const wrongAnswersFile = join(tmpdir(), `git-metastore-answers-${process.pid}`)

const wrong: string[] = []
let failures = false

watchAnswers((answer, status) => {
  if (status !== 500 || !failures) wrong.push(answer)
})

/** For a test that makes the server fail. */
export function expectServerErrors(): void {
  failures = true
}

function throwWrong(): void {
  if (existsSync(wrongAnswersFile)) {
    wrong.push(readFileSync(wrongAnswersFile, 'utf8'))
    rmSync(wrongAnswersFile)
  }
  const found = wrong.splice(0)
  if (found.length > 0) throw new Error(`Answers that are not as described:\n${found.join('\n')}`)
}

// A hook that fails ends the whole run, so the comparison is made at the end of the test itself.
beforeEach(function () {
  failures = false
  const test = this.currentTest
  const run = test?.fn
  if (!test || !run || run.length > 0) return
  test.fn = async function (this: Mocha.Context) {
    await (run as Mocha.AsyncFunc).call(this)
    throwWrong()
  }
})

after(throwWrong)
