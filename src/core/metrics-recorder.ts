import type { DocumentType } from './records/collection.js'

/** Records finished work. Calls must be quick, because the work waits for them, and must not throw. */
export interface MetricsRecorder {
  /** Records the updates of one flush. */
  flushed(updates: number, milliseconds: number): void
  /** Records the check of a schema or document, with the time from the call to the result. */
  validated(language: DocumentType, milliseconds: number): void
}
