import type { Caller } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import { stateOf } from '../../core/records/record.js'
import type { Kind } from '../../core/records/record-kind.js'
import type { Queries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { furtherFiles } from '../rules/assemble-schema-bundle.js'
import { nextVersion, removable } from '../rules/request-rules.js'
import { shortName, trailers } from './commit-messages.js'
import type { Prospect, Update } from './prepared-update.js'
import type { Decision } from './submit-update.js'

/** @throws ProblemError as {@link removable} */
export async function prepareRemoval(
  on: Prospect,
  caller: Caller,
  kind: Kind,
  name: string,
  precondition: Precondition,
): Promise<Update> {
  const { id } = await on.ask(state => removable(state, caller, kind, name, precondition))
  return {
    kind,
    id,
    plan: async state => removal(removable(state, caller, kind, id, precondition), state),
  }
}

/**
 * The next of the two steps of a deletion: a record that is revoked can be revived by its administrators, one whose
 * directory has left the tree cannot. @see contract, "DELETE"
 */
function removal(current: Revision, state: Queries): Decision {
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
