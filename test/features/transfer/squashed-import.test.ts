// test-schedule: quick

import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { SourceItem } from '../../../src/features/transfer/interchange-format.js'
import { openTransfer } from '../../../src/features/transfer/transfer.js'
import {
  keepRecord,
  parseTestId,
  testOrigins,
  titleJsonSchema,
  toBuffer,
} from '../../support/repository/sample-values.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

/** A record about a resource, with another name. */
function item(id: string, resource: string, name: string): SourceItem {
  const record = {
    schema: { schemaId: 'note' },
    relatedIdentifiers: [{ value: resource, identifierType: 'URL', relationType: 'IS_METADATA_FOR' }],
    alternateIdentifiers: [{ value: name, identifierType: 'OTHER' }],
  }
  const state = { record, document: toBuffer({ title: id }), files: new Map() }
  return { place: `${id} ${resource} ${name}`, content: { kind: 'metadata', id: parseTestId(id), state } }
}

async function* source(items: readonly SourceItem[]): AsyncGenerator<SourceItem> {
  yield* items
}

describe('an import with all metadata in one commit', () => {
  afterEach(removeRepositories)

  it('checks each record against the preceding ones, by the rules of separate updates', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await services.collections.schema.create(
      selfPrincipal,
      { id: parseTestId('note'), edit: keepRecord },
      { document: titleJsonSchema() },
      testOrigins,
    )
    const failures: string[] = []

    const summary = await openTransfer(services.parts).import(
      source([
        item('a', 'urn:r', 'urn:a'),
        item('b', 'urn:r', 'urn:b'),
        item('c', 'urn:s', 'urn:a'),
        item('a', 'urn:t', 'urn:t'),
        item('d', 'urn:d', 'urn:d'),
      ]),
      {
        update: true,
        strict: false,
        squash: 'All of it',
        failed: ({ place, problem }) => failures.push(`${place}: ${problem.message}`),
      },
    )

    expect(summary).to.include({ created: 2, failed: 3 })
    expect(failures).to.deep.equal([
      'b urn:r urn:b: Conflict: the resource "urn:r" already has a document that follows the schema "note": the metadata record "a".',
      'c urn:s urn:a: Conflict: the identifier "urn:a" belongs to the metadata record "a".',
      'a urn:t urn:t: Conflict: the metadata record "a" comes twice, and one commit makes one version. Leave out --squash.',
    ])
    expect(await repository.git('log', '-1', '--format=%s')).to.equal('All of it')
    const page = services.collections.metadata.list(selfPrincipal, {}, { offset: 0, limit: 10 })
    expect(page.items.map(({ id }) => id)).to.have.members(['a', 'd'])
  })
})
