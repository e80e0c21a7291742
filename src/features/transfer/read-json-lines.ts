import { ProblemError, tooLarge } from '../../core/problem.js'
import { parseLine, type SourceItem } from './interchange-format.js'

/** Limit of the length of a line in bytes: a line is held in memory. */
const maxLineBytes = 256 * 1024 * 1024
const newline = 0x0a

/**
 * Reads items from lines of JSON. Empty lines are skipped, but counted.
 * @throws ProblemError `unprocessable` for a file of a newer format
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceItem> {
  let number = 0
  for await (const line of linesOf(chunks)) {
    number++
    const place = `line ${number}`
    if (line === undefined) {
      const message = `It is longer than ${maxLineBytes} bytes.`
      yield { place, content: tooLarge(message) }
    } else if (!isBlank(line)) {
      const content = read(line)
      if (content) yield { place, content }
    }
  }
}

function read(line: Uint8Array): SourceItem['content'] | undefined {
  try {
    return parseLine(line)
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'malformed-request') return error
    throw error
  }
}

/** Lines without line ends; undefined for a line that is too long. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let parts: Uint8Array[] = []
  let size = 0
  const add = (part: Uint8Array) => {
    size += part.length
    if (size <= maxLineBytes) parts.push(part)
    else parts = []
  }
  const take = () => {
    const line = size > maxLineBytes ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts)
    parts = []
    size = 0
    return line
  }
  for await (const chunk of chunks) {
    let offset = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, offset)) {
      add(chunk.subarray(offset, end))
      offset = end + 1
      yield take()
    }
    if (offset < chunk.length) add(chunk.subarray(offset))
  }
  if (size > 0) yield take()
}

function isBlank(line: Uint8Array): boolean {
  return line.every(byte => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
