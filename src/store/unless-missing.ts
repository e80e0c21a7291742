import { errnoOf } from './durable.js'

/** Awaits a file operation for which "no such file" is an answer. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}
