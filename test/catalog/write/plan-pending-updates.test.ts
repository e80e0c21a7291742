import { expect } from 'chai'
import fc from 'fast-check'
import type { Collection } from '../../../src/core/records/collection.js'
import type { CatalogQueries } from '../../../src/core/records/record-queries.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import type { WrittenRevision } from '../../../src/store/write/catalog-interface.js'
import { buildHistory } from '../../support/repository/fast-import-history.js'
import {
  catalogContent,
  openTestCatalog,
  type TestCatalog,
} from '../../support/repository/temporary-catalog.js'

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as Id[]
const idAt = (at: number) => ids[at % ids.length] as Id
const kindAt = (at: number): Collection => (at % 2 === 0 ? 'schema' : 'metadata')

/** A planned update, with the question that its plan asks first. */
interface Update {
  readonly target: number
  readonly what: number
  readonly question: number
  readonly about: readonly [number, number]
}

const updates: fc.Arbitrary<Update[]> = fc.array(
  fc.record({
    target: fc.nat(),
    what: fc.nat(11),
    question: fc.nat(18),
    about: fc.tuple(fc.nat(7), fc.nat(7)),
  }),
  { minLength: 30, maxLength: 60, size: 'max' },
)
/** Sizes of the flushes. */
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 60 })

const told = (revision: Revision | undefined) =>
  revision && { ...revision, record: revision.record, files: [...revision.files].sort() }

function answer(
  queries: CatalogQueries,
  { question, about: [first, second] }: Update,
  state: 'planned' | 'committed',
): unknown {
  const [kind, id] = [kindAt(second), idAt(first)]
  switch (question) {
    case 0:
    case 1:
      return told(queries.newest(kind, id))
    case 2:
      return told(queries.atVersion(kind, id, asVersion(second + 1)))
    case 3:
      return told(queries.schemaAsOf(id, undefined, 1_000))
    case 4:
    case 5:
      return [
        queries.owner(second % 2 === 0 ? id : `other ${first}`),
        queries.owners(['nothing', id, `other ${first}`]),
      ]
    case 6:
    case 7:
      return queries.describers(
        ['nowhere', `resource ${first % 4}`],
        idAt(second),
        second === 0 ? id : undefined,
      )
    case 8:
      // The answer may name any of several dependents.
      return queries.dependentOf(id) !== undefined
    case 9:
      return queries.isFaulty(recordDirectory(kind, id))
    case 10:
      return queries.revisions(kind, id)
    case 11:
      return queries.versions(kind, id, { offset: 0, limit: 9 })?.items.map(told)
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
      return isTaken(queries, first, second, state)
    default:
      return queries.counts()
  }
}

/**
 * Whether a name, a resource or a folder of the claim is taken. Each of them must be found alone. In the planned state,
 * the catalog may still report a claim as taken that an earlier update of the flush has freed.
 */
function isTaken(
  queries: CatalogQueries,
  first: number,
  second: number,
  state: 'planned' | 'committed',
): boolean {
  const id = second % 3 === 0 ? idAt(first) : ('nobody' as Id)
  const names = second % 3 === 1 ? [id, 'nothing', `other ${first}`] : [id]
  const resources = second % 3 === 2 ? ['nowhere', `resource ${first % 4}`] : ['nowhere']
  const schemaId = idAt(first)
  const free = queries.isFree({ directory: recordDirectory('metadata', id), names, resources, schemaId })
  const taken =
    names.some(name => queries.owner(name)) ||
    queries.describers(resources, schemaId).length > 0 ||
    queries.isFaulty(recordDirectory('metadata', id)) ||
    queries.revisions('metadata', id).length > 0
  if (free || state === 'committed') expect(free).to.equal(!taken)
  return taken
}

function build(history: ReturnType<typeof buildHistory>, plan: readonly Update[]) {
  const present = new Set<string>()
  return plan.map(({ target, what }, count) => {
    const [kind, id] = [kindAt(target), idAt(target >> 1)]
    const directory = recordDirectory(kind, id)
    if (what === 11 && present.delete(directory)) return history.server(kind, id)
    present.add(directory)
    return history.server(kind, id, {
      record: {
        id,
        ...(kind === 'metadata' && {
          schema: { schemaId: idAt(what), version: asVersion(1) },
          relatedIdentifiers: [{ value: `resource ${what % 4}`, relationType: 'IS_METADATA_FOR' }],
        }),
        ...(what % 3 === 0 && {
          alternateIdentifiers: [{ value: `other ${what % 8}`, identifierType: 'OTHER' }],
        }),
        ...(what % 5 === 0 && { state: 'REVOKED' as const }),
        titles: [{ value: `title ${count % 3}` }],
        acls: [{ sid: `user ${what % 2}`, permission: 'READ' }],
      },
      documentType: 'JSON',
      document: `{"n": ${count}}`,
    })
  })
}

describe('the state for planning the updates of one flush', () => {
  it('contains the earlier updates, written or not, and its commit equals separate updates', async () => {
    await fc.assert(fc.asyncProperty(updates, sizes, expectEqualCatalogs), {
      numRuns: 12,
      endOnFailure: true,
    })
  })

  it('contains the schemas that a record followed before it was removed and created again', async () => {
    const record = { target: 13, question: 18, about: [0, 0] as const }
    const [first, removed, again] = [1, 11, 3].map(what => ({ ...record, what }))
    // Asks whether a record follows the first schema, in the flush that creates the record again.
    const question = { target: 14, what: 0, question: 8, about: [1, 0] as const }

    await expectEqualCatalogs([first, removed, again, question] as Update[], [2, 2])
  })
})

/** Expects that a catalog with flushes answers and ends as one with separate updates, and as a rebuilt one. */
async function expectEqualCatalogs(plan: readonly Update[], flushes: readonly number[]): Promise<void> {
  const history = buildHistory()
  const open: TestCatalog[] = []
  try {
    const revisions = build(history, plan)
    const oids = await history.finish()
    const catalog = (name: string, fewestInBackground: number) => {
      const opened = openTestCatalog(history.gitDir, { name, fewestInBackground })
      open.push(opened)
      return opened
    }
    await compare(plan, revisions, flushes, {
      subject: catalog('subject', 2),
      // Writes each update before the next one is planned.
      alone: catalog('alone', Number.POSITIVE_INFINITY),
    })
    const rebuilt = catalog('rebuilt', 2)
    await rebuilt.writer.catchUp(oids.at(-1) as Oid)
    for (const each of open) await each.close()
    const [subject, alone, whole] = open.map(({ file }) => catalogContent(file))
    expect(subject).to.deep.equal(alone)
    expect(subject).to.deep.equal(whole)
  } finally {
    for (const { objects } of open) await objects.close()
    history.remove()
  }
}

async function compare(
  plan: readonly Update[],
  revisions: readonly (() => WrittenRevision)[],
  flushes: readonly number[],
  { subject, alone }: { readonly subject: TestCatalog; readonly alone: TestCatalog },
): Promise<void> {
  let at = 0
  for (const size of flushes) {
    const end = Math.min(plan.length, at + size)
    if (at === end) return
    subject.writer.begin()
    const first = at
    for (; at < end; at++) {
      const update = plan[at] as Update
      const revision = (revisions[at] as () => WrittenRevision)()
      expect(answer(subject.planning, update, 'planned'), JSON.stringify([first, at, update])).to.deep.equal(
        answer(alone.committed, update, 'committed'),
      )
      subject.writer.add([revision])
      alone.writer.begin()
      alone.writer.add([revision])
      await alone.writer.commit(revision.commit)
    }
    const { commit } = (revisions[end - 1] as () => WrittenRevision)()
    subject.writer.prepare()
    expect(subject.head()).to.not.equal(commit)
    await subject.writer.commit(commit)
    expect(subject.head()).to.equal(commit)
    for (const kind of ['schema', 'metadata'] as const) {
      for (const id of ids)
        expect(told(subject.committed.newest(kind, id))).to.deep.equal(told(alone.committed.newest(kind, id)))
    }
  }
}
