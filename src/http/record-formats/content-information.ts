import type { Revision } from '../../core/records/revision.js'
import type { ContentInformation } from '../../service/records/document-information.js'
import type { Json } from './record-format-interface.js'
import { itemUrl } from './record-urls.js'
import { mimeTypeOf } from './render-json-properties.js'
import { numbered } from './v2/properties-by-record-schema.js'
import { shownAlternateIdentifiers, shownIdentifier } from './v2/render-record.js'

/**
 * A document as an object of its own. Where it lies on disk and what keeps its versions is not told.
 * @param root base and mount of the request
 * @see contract, 4.6
 */
export function renderContentInformation(
  revision: Revision,
  content: ContentInformation,
  root: string,
): Json {
  const { kind, id, record, documentHash, documentType, aside } = revision
  return {
    id: 1,
    parentResource: {
      id,
      identifier: numbered(shownIdentifier(record)),
      alternateIdentifiers: numbered(shownAlternateIdentifiers(revision)),
    },
    version: content.number,
    fileVersion: String(content.number),
    depth: 1,
    contentUri: itemUrl(root, kind, id, content.since, aside?.point),
    uploader: content.uploader,
    mediaType: mimeTypeOf[documentType],
    hash: `sha1:${documentHash}`,
    size: content.size,
    metadata: {},
    tags: [],
  }
}
