import type { Collection } from '../../../core/records/collection.js'
import type { DescribedApiVersion } from '../../openapi/api-version.js'
import { problemResponsesFor } from '../../openapi/problem-responses.js'
import {
  type Operation,
  type Paths,
  parameterRef,
  type Schema,
  schemaRef,
} from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'

export const frontendSchemas: Readonly<Record<string, Schema>> = {
  SchemaTable: table('SchemaRecord'),
  MetadataTable: table('MetadataRecord'),
}

function table(record: string): Schema {
  return closedObject(
    {
      last_page: { type: 'integer', minimum: 0, description: 'Number of pages.' },
      data: listOf(schemaRef(record), { minItems: 1, description: 'Absent where there is nothing.' }),
    },
    ['last_page'],
    { description: 'One page of a table (Tabulator).' },
  )
}

/** Lists for the tables of existing frontends. @see contract, 7 */
export function frontendPaths({ prefix, records }: DescribedApiVersion): Paths {
  function operation(
    kind: Collection,
    more: Pick<Operation, 'operationId' | 'summary'>,
    parameters: string[],
  ): Operation {
    const media = {
      schema: schemaRef(kind === 'schema' ? 'SchemaTable' : 'MetadataTable'),
      examples: { page: { value: { last_page: 1, data: [records[kind].shownExample] } } },
    }
    return {
      tags: ['Frontends'],
      ...more,
      description:
        'The newest version of each, as one page of a table. Pages count from 1, and one past the end has no `data`.',
      parameters: [...parameters, 'pageFrom1', 'size', 'at'].map(parameterRef),
      responses: {
        200: {
          description: 'The page; the type that `Accept` names is echoed.',
          content: { 'application/json': media, 'application/tabulator+json': media },
        },
        ...problemResponsesFor({ 'not-found': 'There is no point of history `at`.' }),
      },
    }
  }
  return {
    [`${prefix}/ui/schemas`]: {
      get: operation('schema', { operationId: 'tableOfSchemas', summary: 'Schemas as a table' }, []),
    },
    [`${prefix}/ui/metadata`]: {
      get: operation('metadata', { operationId: 'tableOfMetadata', summary: 'Metadata records as a table' }, [
        'recordsOf',
      ]),
    },
  }
}
