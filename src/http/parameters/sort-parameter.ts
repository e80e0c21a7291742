import { malformedRequest } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Sort } from '../../core/records/list-query.js'
import { truncate } from '../../core/value-types.js'
import { repeatedParameter } from './query-parameters.js'
import { queryParameter, type RequestParameter } from './request-parameter.js'

/** The names of the fields by which lists can be ordered. */
const fields: Readonly<Record<Collection, ReadonlyMap<string, Sort['by']>>> = {
  schema: new Map([
    ['id', 'id'],
    ['schemaId', 'id'],
    ['lastUpdate', 'lastUpdate'],
  ]),
  metadata: new Map([
    ['id', 'id'],
    ['lastUpdate', 'lastUpdate'],
  ]),
}

/**
 * The parameter `sort=<field>,…[,asc|desc]`. The first field of the first parameter counts. Records with equal values
 * are ordered by id.
 * @see docs/contract.md#order-of-lists
 */
function sortParameter(
  kind: Collection,
  component: string,
  example: string,
  otherwise: string,
): RequestParameter<Sort | undefined> {
  const names = [...fields[kind].keys()].map(name => `\`${name}\``).join(', ')
  return queryParameter(
    'sort',
    {
      component,
      description: `Order of the list: a field (${names}), a comma, and \`asc\` or \`desc\`; by default \`${otherwise}\`.`,
      schema: { type: 'array', items: { type: 'string' }, examples: [[example]] },
      style: 'form',
      explode: true,
    },
    (query, name) => repeatedParameter(query, name).flatMap(text => sortsOf(text, kind))[0],
  )
}

export const sortOfSchemas = sortParameter('schema', 'sortOfSchemas', 'lastUpdate,desc', 'id,asc')
export const sortOfMetadata = sortParameter('metadata', 'sortOfMetadata', 'id,asc', 'lastUpdate,desc')

function sortsOf(text: string, kind: Collection): readonly Sort[] {
  const parts = text.split(',').filter(part => part !== '')
  const last = parts.at(-1)?.toLowerCase()
  const direction = last === 'asc' || last === 'desc' ? last : undefined
  const names = direction && parts.length > 1 ? parts.slice(0, -1) : parts
  return names.map(name => {
    const by = fields[kind].get(name)
    if (by) return { by, direction: direction ?? 'asc' }
    const allowed = [...fields[kind].keys()].join(', ')
    throw malformedRequest(
      `The parameter sort is "${truncate(text)}": write it as <field>,asc or <field>,desc with one of the fields ${allowed}.`,
    )
  })
}
