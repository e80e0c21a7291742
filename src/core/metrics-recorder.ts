import type { DocumentType } from './records/collection.js'

/** Is told of work as it is done. It has to be quick, as the work waits for it, and must not throw. */
export interface MetricsRecorder {
  /** Updates were made durable together. */
  flushed(updates: number, milliseconds: number): void
  /** A schema was looked at, or a document checked; the time is that from being asked to the answer. */
  validated(language: DocumentType, milliseconds: number): void
}
