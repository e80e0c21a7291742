import type { Queries, Revision } from '../catalog/catalog.js'
import { stateOf } from '../core/record.js'
import type { Decision } from './desk.js'
import { furtherFiles } from './references.js'
import { nextVersion } from './rules.js'
import { shortName, trailers } from './wording.js'

/**
 * The next of the two steps of a deletion: a record that is revoked can be revived by its administrators, one whose
 * directory has left the tree cannot. @see contract, "DELETE"
 */
export function removal(current: Revision, state: Queries): Decision {
  const { kind, id, record, documentType, document, files } = current
  const name = shortName(kind, id)
  if (stateOf(record) === 'REVOKED') {
    return { change: { kind, id, subject: `Delete ${name}`, trailers: trailers(kind, id, undefined) } }
  }
  const version = nextVersion(state, current, false)
  return {
    version,
    change: {
      kind,
      id,
      state: {
        record: { ...record, state: 'REVOKED' },
        documentType,
        document,
        files: kind === 'schema' ? furtherFiles(files) : new Map(),
      },
      subject: `Revoke ${name}${version === undefined ? '' : ` (version ${version})`}`,
      trailers: trailers(kind, id, version),
    },
  }
}
