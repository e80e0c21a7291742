import { expect } from 'chai'
import fc from 'fast-check'
import type { ComposedServices } from '../../../src/compose/compose.js'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { exportsOf } from '../../../src/features/exports/feature.js'
import { createNote, registerNote } from '../../support/repository/note-records.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

/** More than two portions of a hundred. */
const notes = 230

describe('All records that a caller may read, in portions', () => {
  let services: ComposedServices
  let all: readonly string[]
  before(async () => {
    const repository = await temporaryRepository({ bare: true })
    services = await repository.compose()
    await registerNote(services)
    const ids = Array.from({ length: notes }, (_, index) => `note-${index}`)
    await Promise.all(ids.map(id => createNote(services, id, { id })))
    all = ['note', ...ids.toSorted((a, b) => (a < b ? -1 : 1))]
  })
  after(removeRepositories)

  async function walked(offset: number, limit: number): Promise<readonly string[]> {
    const found: Revision[] = []
    for await (const portion of exportsOf(services.parts).exports.walk.portions(
      selfPrincipal,
      offset,
      limit,
    )) {
      expect(portion.length).to.be.within(1, 100)
      found.push(...portion)
    }
    return found.map(({ id }) => id)
  }

  it('equal the list between any two places', async () => {
    const places = fc.record({ offset: fc.nat({ max: notes + 10 }), limit: fc.nat({ max: notes + 10 }) })
    await fc.assert(
      fc.asyncProperty(places, async ({ offset, limit }) => {
        expect(await walked(offset, limit)).to.deep.equal(all.slice(offset, offset + limit))
      }),
      {
        numRuns: 25,
        examples: [[{ offset: 0, limit: 1000 }], [{ offset: 1, limit: 100 }], [{ offset: 101, limit: 100 }]],
      },
    )
  })

  it('equal the records of pages', async () => {
    const page = await exportsOf(services.parts).exports.walk.page(selfPrincipal, 100, 100)
    expect(page.total).to.equal(all.length)
    expect(page.items.map(({ id }) => id)).to.deep.equal(all.slice(100, 200))
    expect((await exportsOf(services.parts).exports.walk.page(selfPrincipal, 1000, 100)).items).to.deep.equal(
      [],
    )
  })

  it('come once each, regardless of concurrent updates', async () => {
    const found: string[] = []
    for await (const portion of exportsOf(services.parts).exports.walk.portions(selfPrincipal, 0, 1000)) {
      found.push(...portion.map(({ id }) => id))
      await createNote(services, 'new', { id: `a-${found.length}` })
      await createNote(services, 'new', { id: `z-${found.length}` })
    }
    expect(new Set(found).size).to.equal(found.length)
    expect(found).to.include.members([...all])
  })
})
