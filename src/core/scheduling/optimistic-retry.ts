import type { ProblemError } from '../problem.js'

/*
 * The retry policy of the write path. An update is optimistic: it is made for one state, and another writer may change
 * that state before the update is stored. Three steps can lose this race. Each repeats only its own work:
 *
 * | Step | Outdated by | Repeats |
 * |---|---|---|
 * | prepare (`service/updates`) | another update changed a schema or record that the validation used | validation |
 * | flush (`store/write/flush`) | git or another server moved the branch before the compare-and-swap | planning |
 * | synchronise (`store/write/served-branch`) | the branch or the log of other servers moved again | fetch, push |
 *
 * They are nested in this order: a repeated step begins with the newest state, so an inner step is repeated without its
 * outer one, which costs more. The policy is the same for each:
 *
 * - There is no delay between attempts. Another writer made progress, so the next attempt has a new state to work on.
 * - The number of attempts is limited, so that a client gets an answer while others write all the time.
 * - Only a lost race is repeated. Any other failure would fail again, or may have stored the update already.
 */

/** The result of an attempt that lost the race and stored nothing. */
export const outdated: unique symbol = Symbol('outdated')

/** Limit of attempts. */
export const maxAttempts = 20

/**
 * Repeats an attempt while its result is {@link outdated}.
 * @param attempt gets its number, from 1
 * @param refusal the problem for the client after {@link maxAttempts}
 * @throws the error of an attempt, at once; the refusal after the last attempt
 */
export async function retryWhileOutdated<T>(
  attempt: (count: number) => Promise<T | typeof outdated>,
  refusal: () => ProblemError,
): Promise<T> {
  for (let count = 1; count <= maxAttempts; count++) {
    const result = await attempt(count)
    if (result !== outdated) return result
  }
  throw refusal()
}
