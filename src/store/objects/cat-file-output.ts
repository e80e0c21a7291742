import type { GitObject, ObjectType } from './object-reader.js'

/** One answer of `git cat-file --batch`; undefined means that the object is missing. */
export type CatFileAnswer = GitObject | undefined

/**
 * Cuts the output of `git cat-file --batch` into answers, whatever pieces it comes in. Pure but for its own buffer.
 * @see git-cat-file(1), "BATCH OUTPUT"
 * @throws Error where the output is not what git writes
 */
export function openCatFileParser(): (chunk: Buffer) => readonly CatFileAnswer[] {
  let header = Buffer.alloc(0)
  let body: { readonly type: ObjectType; readonly bytes: Buffer; filled: number } | undefined
  return chunk => {
    const answers: CatFileAnswer[] = []
    let rest = chunk
    while (rest.length > 0) {
      if (!body) {
        const end = rest.indexOf(0x0a)
        header = Buffer.concat([header, end < 0 ? rest : rest.subarray(0, end)])
        rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1)
        if (end < 0) break
        const line = header.toString('latin1')
        header = Buffer.alloc(0)
        const found = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(line)
        // The newline after the contents is read as part of them and cut off at the end.
        if (found) {
          body = { type: found[1] as ObjectType, bytes: Buffer.allocUnsafe(Number(found[2]) + 1), filled: 0 }
        } else if (line.endsWith(' missing')) answers.push(undefined)
        else throw new Error(`git cat-file said something unexpected: ${line.slice(0, 200)}`)
      } else {
        const copied = rest.copy(body.bytes, body.filled)
        body.filled += copied
        rest = rest.subarray(copied)
        if (body.filled === body.bytes.length) {
          answers.push({ type: body.type, bytes: body.bytes.subarray(0, -1) })
          body = undefined
        }
      }
    }
    return answers
  }
}
