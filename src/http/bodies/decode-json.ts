import { type JsonSize, jsonSize } from '../../core/json/json-size.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'

/**
 * The JSON value in bytes that a client has sent.
 * @param what the name of the bytes, for messages: `The body`
 * @param maxDepth limit of the levels of nested arrays and objects
 * @param check throws a problem for a value that is too large; it is called before the value is parsed
 * @throws ProblemError `malformed-request`; errors of `check`
 */
export function decodeJson(
  bytes: Uint8Array,
  what: string,
  maxDepth: number,
  check: (size: JsonSize) => void,
): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const size = jsonSize(text)
    if (size.depth > maxDepth)
      throw malformedRequest(`${what} has more than ${maxDepth} levels of arrays and objects.`)
    check(size)
    return JSON.parse(text)
  } catch (error) {
    // TypeError: the bytes are not UTF-8
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
    throw new ProblemError(
      'malformed-request',
      `${what} is not JSON: ${error.message}.`,
      {},
      { cause: error },
    )
  }
}
