import type { ClientOf } from '../auth/identify-caller.js'
import { type MemoryBudget, openMemoryBudget } from '../limits/memory-budget.js'
import { openUploadThrottle, type UploadThrottle } from '../limits/upload-throttle.js'
import type { UploadLimits } from './upload-limits.js'

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
