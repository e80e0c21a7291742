import type { Readable, Writable } from 'node:stream'
import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import { oncePerIteration } from '../../core/scheduling/event-loop-pauses.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { type MemoryBudget, openMemoryBudget } from '../limits/memory-budget.js'

/** Limits of one request. Sizes are in bytes. */
export interface UploadLimits {
  /** A document, a schema document or one of its further files. */
  readonly document: number
  /** A record. */
  readonly record: number
  /** All parts of one request together: they are held in memory. */
  readonly request: number
  /** Number of parts. */
  readonly parts: number
}

const mebibyte = 1024 * 1024
const defaults = { document: 64 * mebibyte, record: mebibyte, parts: 1000 }

/** Adds defaults to the given limits. By default, a request may have twice the size of a document. */
export function uploadLimits(given: Partial<UploadLimits> = {}): UploadLimits {
  const { document = defaults.document } = given
  return { request: 2 * document, ...defaults, ...given }
}

/** The limits of each request with a form, and the memory and the pace that all such requests share. */
export interface FormLimits extends UploadLimits {
  readonly memory: MemoryBudget
  readonly pace: UploadThrottle
}

/** Number of requests of the largest size for which there is memory at the same time. */
const maxLargestRequests = 4

/**
 * Adds the shared memory and pace to the limits of each request. The limits are rounded down to whole numbers, because
 * multer, which parses forms, rejects fractions.
 */
export function openFormLimits(limits: UploadLimits, clientOf: ClientOf): FormLimits {
  const { document, record, request, parts } = limits
  const floor = Math.floor
  return {
    document: floor(document),
    record: floor(record),
    request: floor(request),
    parts: floor(parts),
    memory: openMemoryBudget(maxLargestRequests * request, 'The memory for uploads is used up.', clientOf),
    pace: openUploadThrottle(),
  }
}

/** Limits how much of all forms is parsed in one iteration of the event loop. */
interface UploadThrottle {
  /** Counts bytes that a request has passed to its parser. Over the limit, pauses the request until a later iteration. */
  countBytes(request: Readable, parser: Writable, bytes: number): void
}

/** Limit of the bytes of all forms that are parsed in one iteration of the event loop, which takes milliseconds. */
const maxBytes = 2 ** 20
/** Limit of the paused requests that continue in one iteration of the event loop. */
const maxResumed = 16

function openUploadThrottle(): UploadThrottle {
  const paused = openLinkedQueue<() => void>()
  let left = maxBytes
  const planIteration = oncePerIteration(() => {
    left = maxBytes
    for (let resumed = 0; resumed < maxResumed && paused.size > 0; resumed++) paused.take()?.()
    if (paused.size > 0) planIteration()
  })

  return {
    countBytes(request, parser, bytes) {
      planIteration()
      left -= bytes
      if (left > 0) return
      request.pause()
      // A full parser resumes the request itself when it has drained.
      paused.join(() => {
        if (!parser.writableNeedDrain) request.resume()
      })
    },
  }
}
