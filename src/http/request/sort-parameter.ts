import type { ParsedUrlQuery } from 'node:querystring'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Sort } from '../../core/records/list-query.js'
import { truncate } from '../../core/value-types.js'
import { repeatedParameter } from './query-parameters.js'

/** What lists can be ordered by, as requests name it. */
export const fields: Readonly<Record<Collection, ReadonlyMap<string, Sort['by']>>> = {
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
 * The order `sort=<field>,…[,asc|desc]` asks for. It can be given several times; the first field decides, and what is
 * equal then stands in the order of the ids.
 * @throws ProblemError `malformed-request`
 * @see contract, 1.6; Spring Data, "Paging and sorting"
 */
export function parseSort(query: ParsedUrlQuery, kind: Collection): Sort | undefined {
  return repeatedParameter(query, 'sort').flatMap(text => sortsOf(text, kind))[0]
}

function sortsOf(text: string, kind: Collection): readonly Sort[] {
  const parts = text.split(',').filter(part => part !== '')
  const last = parts.at(-1)?.toLowerCase()
  const direction = last === 'asc' || last === 'desc' ? last : undefined
  const names = direction && parts.length > 1 ? parts.slice(0, -1) : parts
  return names.map(name => {
    const by = fields[kind].get(name)
    if (by) return { by, direction: direction ?? 'asc' }
    const allowed = [...fields[kind].keys()].join(', ')
    throw new ProblemError(
      'malformed-request',
      `The parameter sort is "${truncate(text)}": write it as <field>,asc or <field>,desc with one of the fields ${allowed}.`,
    )
  })
}
