import { schemaRef } from '../../http/openapi/specification-types.js'
import { closedObject } from '../../http/openapi/value-schemas.js'

/** The schema of the state of a connection. @see ConnectionStatus */
const standing = closedObject(
  {
    role: {
      type: 'string',
      enum: ['source', 'mirror', 'log'],
      description:
        '`source`: this server follows the other repository. `mirror`: it pushes every update there. `log`: several servers write to the other repository, and each update is pushed there first.',
    },
    address: { type: 'string', description: 'Address of the other repository, without a password.' },
    ok: { type: 'boolean' },
    detail: { type: 'string', description: 'What is wrong, if `ok` is false.' },
    since: { ...schemaRef('Instant'), description: 'Since when `ok` is false.' },
    seen: { ...schemaRef('Instant'), description: 'When `ok` was true for the last time.' },
    commit: { ...schemaRef('Commit'), description: 'The commit of its branch at the time `seen`.' },
    lag: {
      type: 'integer',
      minimum: 0,
      description: 'Number of commits that this server has and the other repository may not have.',
    },
  },
  ['role', 'address', 'ok'],
  {
    description:
      'State of the repository that this server follows or pushes to. If it cannot be reached, the server still serves its own data.',
  },
)

/** The member of `/health`, and the schema that it refers to. */
export const connectionSchema = {
  healthMembers: { remote: schemaRef('Standing') },
  components: { schemas: { Standing: standing } },
}
