import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash, type Hash, hash } from 'node:crypto'
import type { Sha1 } from '../../core/value-types.js'
import { streamGitOutput } from '../process/git-command.js'
import { prefetch } from '../process/prefetch.js'
import type { GitObject, ObjectReader, ObjectRequest, ObjectType, StreamedObject } from './object-reader.js'

/** Objects asked for at once where they are read one by one. */
const mostUnderWay = 512

/** {@link ObjectReader.stream} by a reader of single objects. */
export async function* streamOneByOne(
  read: ObjectReader['read'],
  wanted: readonly ObjectRequest[],
): AsyncGenerator<readonly StreamedObject[]> {
  for await (const [{ as }, object] of prefetch(wanted, mostUnderWay, ({ oid }) => read(oid))) {
    yield [as === 'bytes' ? object : hashed(object)]
  }
}

function hashed({ type, bytes }: GitObject): StreamedObject {
  return { type, sha1: hash('sha1', bytes, 'hex') as Sha1 }
}

/**
 * {@link ObjectReader.stream} by a git of its own, which hears of all objects at once and writes when it has much to say.
 * Where it cannot go on, the reader of single objects does: it tries again, and knows what is wrong.
 * @param start starts `git cat-file --batch --buffer`
 * @see git-cat-file(1), `--buffer`
 */
export async function* streamInBulk(
  start: () => ChildProcessWithoutNullStreams,
  read: ObjectReader['read'],
  wanted: readonly ObjectRequest[],
): AsyncGenerator<readonly StreamedObject[]> {
  const child = start()
  const answers = openAnswers(wanted)
  let answered = 0
  try {
    for await (const chunk of streamGitOutput(
      child,
      'cat-file',
      wanted.map(({ oid }) => `${oid}\n`).join(''),
    )) {
      const portion = answers.take(chunk)
      answered += portion.length
      if (portion.length > 0) yield portion
      if (answers.isOver) break
    }
  } catch {
    // Told below, by the reader of single objects.
  }
  if (answered < wanted.length) yield* streamOneByOne(read, wanted.slice(answered))
}

const newline = 0x0a

/** An object that is larger than what has come of it. */
interface Begun {
  readonly type: ObjectType
  left: number
  readonly to: Hash | Buffer
}

/**
 * Cuts the output of `git cat-file --batch` into what is wanted of each object. `isOver`: git said something else than
 * the next object, and nothing behind it counts.
 * @see git-cat-file(1), "BATCH OUTPUT"
 */
function openAnswers(wanted: readonly ObjectRequest[]) {
  let next = 0
  let header = ''
  let begun: Begun | undefined
  let isOver = false

  function whole(type: ObjectType, bytes: Buffer): StreamedObject {
    const object = { type, bytes }
    return wanted[next++]?.as === 'sha1' ? hashed(object) : object
  }

  function end({ type, to }: Begun): StreamedObject {
    next++
    return 'digest' in to ? { type, sha1: to.digest('hex') as Sha1 } : { type, bytes: to }
  }

  function take(chunk: Buffer): readonly StreamedObject[] {
    const done: StreamedObject[] = []
    let at = 0
    while (at < chunk.length && !isOver) {
      if (begun) {
        // The newline behind the contents is waited for, and left out.
        const part = chunk.subarray(at, at + begun.left)
        if (part.length > 0) {
          if ('update' in begun.to) begun.to.update(part)
          else part.copy(begun.to, begun.to.length - begun.left)
          begun.left -= part.length
          at += part.length
        } else {
          done.push(end(begun))
          begun = undefined
          at++
        }
        continue
      }
      const lineEnd = chunk.indexOf(newline, at)
      header += chunk.toString('latin1', at, lineEnd < 0 ? chunk.length : lineEnd)
      if (lineEnd < 0) break
      const [, type, size] = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(header) ?? []
      header = ''
      at = lineEnd + 1
      if (type === undefined) isOver = true
      else if (at + Number(size) < chunk.length) {
        done.push(whole(type as ObjectType, chunk.subarray(at, at + Number(size))))
        at += Number(size) + 1
      } else {
        const to = wanted[next]?.as === 'sha1' ? createHash('sha1') : Buffer.allocUnsafe(Number(size))
        begun = { type: type as ObjectType, left: Number(size), to }
      }
    }
    return done
  }

  return {
    take,
    get isOver() {
      return isOver
    },
  }
}
