import { ProblemError, type ProblemExtra, type ProblemKind } from '../../core/problem.js'

/** The message with which a worker thread or process answers a job. */
export type JobAnswer<Result> =
  | { readonly result: Result }
  | { readonly error: { readonly message: string; readonly code: unknown } }
  | {
      readonly problem: {
        readonly kind: ProblemKind
        readonly message: string
        readonly extra: ProblemExtra
      }
    }

/** Runs a job. Errors become plain values, because a message drops the class and the `code` of an Error. */
export async function answerOf<Result>(work: () => Result | Promise<Result>): Promise<JobAnswer<Result>> {
  try {
    return { result: await work() }
  } catch (thrown) {
    if (thrown instanceof ProblemError) {
      const { kind, message, extra } = thrown
      return { problem: { kind, message, extra } }
    }
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { error: { message: error.message, code: 'code' in error ? error.code : undefined } }
  }
}

/** The functions that settle the promise of an answer. */
export interface Asked<Result> {
  resolve(result: Result): void
  reject(error: Error): void
}

export function settle<Result>(asked: Asked<Result> | undefined, answer: JobAnswer<Result>): void {
  if ('result' in answer) asked?.resolve(answer.result)
  else asked?.reject(errorOf(answer))
}

function errorOf(answer: Exclude<JobAnswer<never>, { result: never }>): Error {
  if ('error' in answer) return Object.assign(new Error(answer.error.message), { code: answer.error.code })
  const { kind, message, extra } = answer.problem
  return new ProblemError(kind, message, extra)
}
