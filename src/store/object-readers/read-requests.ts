import type { Oid } from '../../core/value-types.js'
import { MissingObject } from '../objects/object-errors.js'
import type { GitObject, StreamedObject } from '../objects/object-reader.js'

/** Limit of unanswered requests sent to git. */
const maxSent = 512
/** Number of crashes of git after which a request fails. */
const maxCrashes = 2

interface ReadRequest {
  readonly oid: Oid
  readonly resolve: (object: GitObject) => void
  readonly reject: (error: Error) => void
  crashes: number
}

/** Requests to `git cat-file --batch`, which answers them in order. */
export class ReadRequests {
  readonly #waiting: ReadRequest[] = []
  #sent: ReadRequest[] = []

  /** Number of requests that were not sent yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(oid: Oid): Promise<GitObject> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ oid, resolve, reject, crashes: 0 })
    })
  }

  /** Takes requests to send. @returns git's input; undefined if there are none, or if too many are unanswered */
  takeInput(): string | undefined {
    if (this.#waiting.length === 0 || this.#sent.length >= maxSent) return undefined
    const next = this.#waiting.splice(0, maxSent - this.#sent.length)
    this.#sent.push(...next)
    return next.map(({ oid }) => `${oid}\n`).join('')
  }

  /** Answers the oldest request that was sent. @param answer with bytes; undefined for a missing object */
  settleFirst(answer: StreamedObject | undefined): void {
    const request = this.#sent.shift()
    if (!request) throw new Error('git cat-file sent an answer without a request.')
    if (answer && 'bytes' in answer) request.resolve(answer)
    else request.reject(new MissingObject(request.oid))
  }

  /**
   * Repeats unanswered requests after a crash of git. Only the first of them can have caused it, because git has not
   * read the others yet.
   * @param errorOf the error for a request that has crashed git repeatedly
   */
  repeatAfterCrash(errorOf: (oid: Oid) => Error): void {
    const [first] = this.#sent
    this.#waiting.unshift(...this.#sent)
    this.#sent = []
    if (!first || ++first.crashes < maxCrashes) return
    this.#waiting.shift()
    first.reject(errorOf(first.oid))
  }

  rejectAll(error: Error): void {
    const all = [...this.#sent, ...this.#waiting]
    this.#sent = []
    this.#waiting.length = 0
    for (const { reject } of all) reject(error)
  }
}
