import type { Oid } from '../../core/value-types.js'

/*
 * The format of `packed-refs`. @see git-pack-refs(1)
 */

/** Content of a ref: an object name, or `ref: ` and the name of another ref. */
export type RefValue = string

/** Name of the file in the Git directory. */
export const packedRefsFile = 'packed-refs'

/**
 * The refs of `packed-refs`, with unchecked values. Skips the first line, which begins with `#`, and the peeled objects
 * of annotated tags, which begin with `^`.
 */
export function* parsePackedRefs(text: string): Generator<readonly [name: string, value: RefValue]> {
  // Line by line, because most readers look for one of many refs.
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const next = text.indexOf('\n', start)
    end = next < 0 ? text.length : next
    if (text[start] === '#' || text[start] === '^') continue
    const line = text.slice(start, end)
    const space = line.lastIndexOf(' ')
    const name = line.slice(space + 1)
    if (space > 0 && /^refs\/./.test(name)) yield [name, line.slice(0, space)]
  }
}

/** The first fault of a `packed-refs` file, at which git stops; undefined if there is none. */
export function packedRefsFault(text: string): string | undefined {
  if (text === '') return undefined
  const lines = text.split('\n')
  const index = lines.findIndex(line => !/^(?:#.*|\^[0-9a-f]{40}|[0-9a-f]{40} refs\/\S+|)$/.test(line))
  if (index >= 0 && index < lines.length - 1) return `its line ${index + 1} is no ref`
  return lines.at(-1) === '' ? undefined : 'its last line is cut off'
}

export function isObjectName(value: RefValue): value is Oid {
  return /^[0-9a-f]{40}$/.test(value)
}
