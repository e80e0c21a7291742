import type { Revision } from '../../core/records/revision.js'
import type { RecordFormat } from '../record-formats/record-format-interface.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'
import { renderRevision } from './rendered-record.js'

/*
 * What the thread that reads records makes of them.
 */

/** Script of the thread. */
export const renderingThread = new URL('./rendering-thread.js', import.meta.url)

/**
 * The way a record is shown, as a text.
 * @param root base and mount of the request: what URLs begin with
 */
export function renderingKey({ version }: Pick<RecordFormat, 'version'>, root: string): string {
  return `${version}${root}`
}

/** The record as JSON. @param as {@link renderingKey} */
export function renderByKey(revision: Revision, as: string): string {
  return JSON.stringify(renderRevision(as.startsWith('1') ? v1 : v2, revision, as.slice(1)))
}
