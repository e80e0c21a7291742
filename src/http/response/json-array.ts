import { Readable } from 'node:stream'
import type { TimeSlices } from '../limits/time-slices.js'

/** Characters after which a piece of a list ends. A list of several pieces is sent as a stream. */
const pieceLength = 64 * 1024

/** JSON text: a string if it is short, else a stream. */
export type JsonText = string | Readable

/** The texts before and after the items of an array, with its brackets. */
export type ArrayEnclosure = readonly [start: string, end: string]

/**
 * A JSON array of rendered pieces, which contain the commas: a string if it is one piece, else a stream that gets the
 * next piece when the client has read the one before.
 * @param enclosure the text before the first item and after the last one, with the brackets
 * @param onStream called before a stream begins, with the length of the first piece
 */
export async function jsonOfPieces(
  pieces: AsyncGenerator<string, void>,
  [start, end]: ArrayEnclosure = ['[', ']'],
  onStream?: (length: number) => void,
): Promise<JsonText> {
  const first = (await pieces.next()).value ?? ''
  const second = await pieces.next()
  if (second.done) return `${start}${first}${end}`
  onStream?.(first.length)
  async function* all(): AsyncGenerator<string> {
    yield `${start}${first}`
    yield second.value ?? ''
    yield* pieces
    yield end
  }
  return Readable.from(all(), { objectMode: false })
}

/**
 * The items as pieces of an array, which `render` turns into JSON text. Rendered items are released for the garbage
 * collector.
 */
export async function* renderedPieces<T>(
  items: readonly T[],
  render: (item: T) => string,
  slices: TimeSlices,
): AsyncGenerator<string, void> {
  const left = items.toReversed()
  for (let comma = ''; left.length > 0; comma = ',')
    yield comma + (await slices.run(() => renderPiece(left, render)))
}

/** Takes items from the end of `left` and renders them, until the text is long enough. */
function renderPiece<T>(left: T[], render: (item: T) => string): string {
  const texts: string[] = []
  for (let length = 0; left.length > 0 && length < pieceLength; ) {
    const text = render(left.pop() as T)
    texts.push(text)
    length += text.length
  }
  return texts.join(',')
}
