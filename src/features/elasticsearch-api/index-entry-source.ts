import { tryParseJson } from '../../core/json/try-parse.js'
import { parseWrittenJson, writeJson } from '../../core/json/written-number.js'
import { ProblemError } from '../../core/problem.js'
import type { Revision } from '../../core/records/revision.js'
import { documentText } from '../../http/record-formats/document-text.js'
import { serviceIndexEntryOf } from '../../http/record-formats/search-index-entry.js'
import { documentTreeOf, documentValues } from '../search/values/document-values.js'
import { type SourceFilter, selectFrom } from './answers/source-filter.js'

/** Limit of the bytes of a document of which `_source` can select a part. A larger one is sent whole or not at all. */
const maxFilteredLength = 2 ** 18
/** Limit of the bytes of all documents in one answer. */
const maxBytes = 64 * 2 ** 20
/** Limit of the characters of the values of one XML document in an answer. */
const maxCharacters = 2 ** 20

const documentMember = 'metadataDocument'

export interface SourceOptions {
  readDocument(revision: Revision): Promise<Buffer>
  /** Beginning of URLs in the answer, such as `https://example.org/api/v2`. */
  readonly root: string
  /** Reserves memory for a part of the answer. @throws ProblemError `unavailable` */
  reserve(bytes: number): void
}

/** Writes the `_source` of hits: the members of their index entries that the filter of a request selects, as JSON. */
export function openSourceWriter({ readDocument, root, reserve }: SourceOptions) {
  let bytes = 0

  function take(size: number): void {
    bytes += size
    if (bytes > maxBytes) {
      throw new ProblemError(
        'too-large',
        `The documents of the hits have more than ${maxBytes} bytes. Ask for fewer hits (size), or leave ${documentMember} out (_source).`,
      )
    }
    reserve(size)
  }

  async function documentJson(revision: Revision, filter: SourceFilter): Promise<string | undefined> {
    const selection = filter.selectionOf(documentMember)
    if (selection === 'none') return undefined
    const document = await readDocument(revision)
    take(document.length)
    if (revision.documentType === 'JSON') {
      const text = documentText(document, 'JSON')
      const value = tryParseJson(text, parseWrittenJson)
      // A document that was committed with plain git and is not JSON would break the answer.
      const isJson = value !== undefined
      if (selection === 'all' || document.length > maxFilteredLength)
        return isJson ? text : JSON.stringify(text)
      return isJson ? partOf(value, filter) : undefined
    }
    const tree = documentTreeOf(documentValues(document, 'XML', maxCharacters))
    return jsonOf(selectFrom(tree, documentMember, filter))
  }

  return async (revision: Revision, filter: SourceFilter): Promise<string> => {
    const members: string[] = []
    for (const [name, value] of Object.entries(serviceIndexEntryOf(revision, root))) {
      const json = jsonOf(selectFrom(value, name, filter))
      if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`)
    }
    const document = await documentJson(revision, filter)
    if (document !== undefined) members.push(`${JSON.stringify(documentMember)}:${document}`)
    return `{${members.join(',')}}`
  }
}

/** The part of a JSON value that `filter` selects, as JSON text; undefined if the value has too many levels. */
function partOf(value: unknown, filter: SourceFilter): string | undefined {
  try {
    return jsonOf(selectFrom(value, documentMember, filter))
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}

function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : writeJson(value)
}
