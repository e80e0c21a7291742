import { expect } from 'chai'
import { ProblemError, type ProblemKind } from '../../../src/core/problem.js'

/** Expects a refusal of the kind whose message contains the text. @returns it */
export async function expectProblem(run: () => unknown, kind: ProblemKind, text = ''): Promise<ProblemError> {
  let thrown: unknown
  try {
    await run()
  } catch (error) {
    thrown = error
  }
  if (thrown !== undefined && !(thrown instanceof ProblemError)) throw thrown
  expect(thrown, `a refusal of kind ${kind}`).to.be.instanceOf(ProblemError)
  const problem = thrown as ProblemError
  expect(problem.kind, problem.message).to.equal(kind)
  expect(problem.message).to.include(text)
  return problem
}
