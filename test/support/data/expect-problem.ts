import { expect } from 'chai'
import { ProblemError, type ProblemKind } from '../../../src/core/problem.js'

/** Expects that a problem of this kind is thrown and that its message contains the text. @returns the problem */
export async function expectProblem(run: () => unknown, kind: ProblemKind, text = ''): Promise<ProblemError> {
  let thrown: unknown
  try {
    await run()
  } catch (error) {
    thrown = error
  }
  if (thrown !== undefined && !(thrown instanceof ProblemError)) throw thrown
  expect(thrown, `a problem of kind ${kind}`).to.be.instanceOf(ProblemError)
  const problem = thrown as ProblemError
  expect(problem.kind, problem.message).to.equal(kind)
  expect(problem.message).to.include(text)
  return problem
}
