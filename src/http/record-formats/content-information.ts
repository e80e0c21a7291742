import type { Revision } from '../../core/records/revision.js'
import type { ContentInformation } from '../../service/records/document-information.js'
import type { JsonObject } from './record-format-interface.js'
import { recordUrl } from './record-urls.js'
import { mediaTypeOf } from './render-json-properties.js'
import { withListPositions } from './v2/properties-by-record-schema.js'
import { renderedAlternateIdentifiers, renderedIdentifier } from './v2/version-2-members.js'

/**
 * Content information as JSON: it describes the bytes of a document, without its place in the repository.
 * @param root beginning of URLs, such as `https://example.org/api/v2`
 * @see docs/contract.md#content-information
 */
export function renderContentInformation(
  revision: Revision,
  content: ContentInformation,
  root: string,
): JsonObject {
  const { kind, id, record, documentHash, documentType, unserved } = revision
  return {
    id: 1,
    parentResource: {
      id,
      identifier: withListPositions(renderedIdentifier(record)),
      alternateIdentifiers: withListPositions(renderedAlternateIdentifiers(revision)),
    },
    version: content.number,
    fileVersion: String(content.number),
    depth: 1,
    contentUri: recordUrl(root, kind, id, content.since, unserved?.point),
    uploader: content.uploader,
    mediaType: mediaTypeOf[documentType],
    hash: `sha1:${documentHash}`,
    size: content.size,
    metadata: {},
    tags: [],
  }
}
