import { ProblemError } from '../../../core/problem.js'
import { everything, nothing, type SearchCondition } from '../../search/search-condition.js'
import { shortenedName } from '../queries/read-json.js'
import { matchesWildcard } from '../queries/wildcard-pattern.js'

/** Prefix of index names in addresses and answers, before the id of the schema. */
const indexPrefix = 'metastore-'

/** Limit of the characters of the index names in an address. */
const maxExpressionLength = 8192
/** Limit of the asterisks of one name. */
const maxAsterisks = 4
const expressionPattern = /^[a-z0-9._*-]+$/

/**
 * The name of the index with the documents of a schema. It is in lower case, without asterisks and other special
 * characters.
 */
export function indexOfSchema(schemaId: string): string {
  return indexPrefix + schemaId.toLowerCase().replace(/[^a-z0-9._-]/g, '_')
}

/**
 * The condition for the documents in the indices that an address names: `metastore-<schemaId>`, a list joined by
 * commas, or names with asterisks (`metastore-*`). A schema that does not exist has no documents: the answer does not
 * tell which schemas there are.
 * @param schemaIds returns the schemas of all documents that the caller may read, or undefined if there are too many
 *   documents; called only for names that may match several schemas
 * @throws ProblemError `not-found` for an index that is not of this service; `unavailable` for a name with an asterisk
 *   while the schemas are not known
 */
export async function indexCondition(
  expression: string,
  schemaIds: () => Promise<readonly string[] | undefined>,
): Promise<SearchCondition> {
  if (expression.length > maxExpressionLength) throw noSuchIndex(expression)
  const names = expression.split(',').map(name => name.toLowerCase())
  for (const name of names) if (!isIndexName(name)) throw noSuchIndex(name)
  const parts = names.map(name => name.slice(indexPrefix.length))
  if (parts.includes('*')) return everything
  const isPlain = (part: string) => !/[*_]/.test(part)
  const ids = parts.every(isPlain) ? [] : await schemaIds()
  if (ids === undefined && parts.some(part => part.includes('*'))) {
    throw new ProblemError(
      'unavailable',
      'There are too many documents to look for indices by a name with an asterisk: name them, or search metastore-*.',
    )
  }
  const values = new Set([
    ...parts.filter(part => !part.includes('*')),
    ...(ids ?? []).filter(id => names.some(name => matchesWildcard(name, indexOfSchema(id)))),
  ])
  return values.size === 0 ? nothing : { type: 'equals', field: 'schema', values: [...values] }
}

function isIndexName(name: string): boolean {
  const asterisks = name.split('*').length - 1
  return expressionPattern.test(name) && name.startsWith(indexPrefix) && asterisks <= maxAsterisks
}

function noSuchIndex(name: string): ProblemError {
  return new ProblemError(
    'not-found',
    `no such index [${shortenedName(name)}]: the indices are metastore-<schemaId>, for all of them metastore-*`,
  )
}
