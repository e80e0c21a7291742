import type { Revision } from '../../core/records/revision.js'
import type { RecordFormat } from '../record-formats/record-format-interface.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'

/*
 * Renders records in the thread that reads them. A key, which is a string, tells this thread the format and the root.
 */

/** URL of the script of the thread. */
export const renderingThread = new URL('./rendering-thread.js', import.meta.url)

/**
 * The record format and the root as one text, for {@link renderByKey}: a message to a thread cannot contain a record
 * format, which has functions.
 * @param root beginning of URLs in the record, such as `https://example.org/api/v1`
 */
export function renderingKey({ version }: Pick<RecordFormat, 'version'>, root: string): string {
  return `${version}${root}`
}

/** The record as JSON text. @param key from {@link renderingKey} */
export function renderByKey(revision: Revision, key: string): string {
  const { render } = key.startsWith('1') ? v1 : v2
  return JSON.stringify(render(revision, key.slice(1)))
}
