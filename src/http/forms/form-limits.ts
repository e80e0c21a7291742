import type { ClientOf } from '../auth/identify-caller.js'
import { type MemoryBudget, openMemoryBudget } from '../limits/memory-budget.js'
import { openUploadPace, type UploadPace } from '../limits/upload-pace.js'
import type { UploadLimits } from './upload-limits.js'

/** Limits of each request, and what all requests share. */
export interface FormLimits extends UploadLimits {
  readonly memory: MemoryBudget
  readonly pace: UploadPace
}

/** Requests of the largest size that fit into memory at once. */
const maxLargestRequests = 4

/**
 * Adds what all requests share to the limits of each one.
 * @param limits rounded down to whole bytes: multer rejects fractions
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
    pace: openUploadPace(),
  }
}
