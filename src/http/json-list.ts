import { Readable } from 'node:stream'

/** Characters of a list that are put together before it is sent: more go out one record after the other. */
const atOnce = 1024 * 1024

/**
 * A JSON array of what `render` makes of the items: a text while it is small, a stream where it is not. A page of
 * large records may be longer than any text can be, and nobody else is answered while it is made.
 */
export function jsonList<T>(items: readonly T[], render: (item: T) => unknown): string | Readable {
  const parts: string[] = []
  let length = 0
  for (const [at, item] of items.entries()) {
    if (length > atOnce) return Readable.from(partsOf(parts, items.slice(at), render), { objectMode: false })
    const text = JSON.stringify(render(item))
    parts.push(text)
    length += text.length
  }
  return `[${parts.join(',')}]`
}

function* partsOf<T>(
  made: readonly string[],
  others: readonly T[],
  render: (item: T) => unknown,
): Generator<string> {
  yield `[${made.join(',')}`
  for (const item of others) yield `,${JSON.stringify(render(item))}`
  yield ']'
}
