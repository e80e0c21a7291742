import { expect } from 'chai'
import fc from 'fast-check'
import type { ComposedServices } from '../../../src/compose/compose.js'
import { anonymousPrincipal, type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import type { AclEntry, StoredRecord } from '../../../src/core/records/record.js'
import { asVersion, type Id } from '../../../src/core/value-types.js'
import { searchOf } from '../../../src/features/search/feature.js'
import type { FacetRequest } from '../../../src/features/search/search-engine.js'
import { isReadable } from '../../../src/service/rules/record-rules.js'
import { searchText } from '../../support/data/search-requests.js'
import { isLongForm } from '../../support/program/long-form.js'
import { importRecords, type RecordState } from '../../support/repository/import-record-states.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

const words = ['steel', 'iron', 'copper', 'zinc'] as const

const person = (sid: string, more: Partial<Principal> = {}): Principal => ({
  ...selfPrincipal,
  sid,
  administrator: false,
  ...more,
})
const callers: Readonly<Record<string, Principal>> = {
  anonymous: anonymousPrincipal,
  anna: person('anna'),
  'berta of the lab': person('berta', { groups: ['lab'] }),
  'a reader of everything': person('robot', { everywhere: 'READ' }),
  'a temporary token': person('nobody', {
    granted: new Map([
      ['m1', 'READ'],
      ['m2', 'ADMINISTRATE'],
    ]),
  }),
  administrator: selfPrincipal,
}

const arbitraryRecord = fc.record({
  acls: fc.uniqueArray(
    fc.record({
      sid: fc.constantFrom('anna', 'berta', 'lab', 'anna-maria', 'anonymousUser', 'PUBLIC'),
      permission: fc.constantFrom('NONE', 'READ', 'WRITE', 'ADMINISTRATE') as fc.Arbitrary<
        AclEntry['permission']
      >,
    }),
    { selector: ({ sid }) => sid, maxLength: 3 },
  ),
  state: fc.constantFrom('VOLATILE', 'FIXED', 'REVOKED') as fc.Arbitrary<StoredRecord['state']>,
  schema: fc.constantFrom('a', 'b'),
  title: fc.constantFrom(...words),
  text: fc.array(fc.constantFrom(...words), { maxLength: 4 }),
  subject: fc.constantFrom('x', 'y', 'z'),
})

const facets: readonly FacetRequest[] = ['schema', 'state', 'subject', 'title'].map(field => ({
  name: field,
  field,
  counts: { type: 'terms', size: 2, order: 'count' },
}))

describe('the answer of a search', () => {
  afterEach(removeRepositories)

  it('equals the answer of a repository that has only the readable records', async () => {
    const some = fc.array(arbitraryRecord, { minLength: 8, maxLength: 12 })

    await fc.assert(
      fc.asyncProperty(some, async drawn => {
        const states = drawn.map(stateOf)
        const whole = await serve(states)
        /** Repositories by the records in them: some callers may read the same records. */
        const parts = new Map<string, ComposedServices>()
        for (const [name, caller] of Object.entries(callers)) {
          const readable = states.filter(({ record }) => isReadable(caller, record))
          const ids = readable.map(({ record }) => record.id).join()
          const part = parts.get(ids) ?? (await serve(readable))
          parts.set(ids, part)
          for (const text of [
            '',
            'steel',
            'steel iron',
            'title:iron',
            'document.text:zinc',
            'state:fixed -steel',
          ])
            expect(await told(whole, caller, text), `${name}: ${text}`).to.deep.equal(
              await told(part, selfPrincipal, text),
            )
        }
        await removeRepositories()
      }),
      { numRuns: isLongForm ? 10 : 1 },
    )
  })
})

function stateOf(
  {
    schema,
    title,
    text,
    subject,
    acls,
    state,
  }: typeof arbitraryRecord extends fc.Arbitrary<infer T> ? T : never,
  at: number,
): RecordState {
  const record: StoredRecord = {
    id: `m${at}` as Id,
    schema: { schemaId: schema as Id, version: asVersion(1) },
    titles: [{ value: title }],
    subjects: [{ value: subject }],
    ...(state !== undefined && state !== 'VOLATILE' && { state }),
    ...(acls.length > 0 && { acls }),
  }
  const time = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()
  return { kind: 'metadata', record, document: JSON.stringify({ text: text.join(' ') }), time }
}

async function serve(states: readonly RecordState[]): Promise<ComposedServices> {
  const repository = await temporaryRepository({ bare: true })
  if (states.length > 0) await importRecords(repository, states)
  return await repository.compose()
}

/** The whole answer of a search without scores, because the statistics of words include all records. */
async function told(services: ComposedServices, caller: Principal, text: string) {
  const sort = [{ field: 'lastUpdate', order: 'desc' }] as const
  const window = { offset: 0, limit: 3 }
  const {
    hits,
    total,
    totalIs,
    facets: counted,
    next,
  } = await searchText(services, caller, text, {
    ...{ sort, window, facets },
    highlight: true,
  })
  return {
    ids: hits.map(({ revision }) => revision.id),
    highlights: hits.map(({ highlights }) => highlights),
    ...{ total, totalIs, hasNext: next !== undefined },
    facets: Object.fromEntries(counted),
    titles: await searchOf(services.parts)?.suggest(caller, {
      beginning: 'i',
      limit: 10,
      kinds: ['schema', 'metadata'],
    }),
  }
}
