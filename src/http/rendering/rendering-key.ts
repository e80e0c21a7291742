import type { Revision } from '../../core/records/revision.js'
import type { RecordFormat } from '../record-formats/record-format-interface.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'
import { renderRevision } from './rendered-record.js'

/*
 * Rendering in the thread that reads records. A key, which is a string, names the format.
 */

/** URL of the script of the thread. */
export const renderingThread = new URL('./rendering-thread.js', import.meta.url)

/**
 * A text that {@link renderByKey} renders by: a message to a thread cannot contain a record format, which has
 * functions.
 * @param root base URL and mount of the request, with which URLs in the record begin
 */
export function renderingKey({ version }: Pick<RecordFormat, 'version'>, root: string): string {
  return `${version}${root}`
}

/** The record as JSON text. @param key from {@link renderingKey} */
export function renderByKey(revision: Revision, key: string): string {
  return JSON.stringify(renderRevision(key.startsWith('1') ? v1 : v2, revision, key.slice(1)))
}
