import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { DocumentRun, Queries, Revision } from '../catalog/catalog.js'
import { ProblemError } from '../core/problem.js'
import type { DocumentType, Oid } from '../core/values.js'
import { type Blamed, openTrace } from '../difference/blame.js'
import { undecided, worst } from '../difference/effect.js'
import { compareJson, jsonTree, patchOf } from '../difference/json.js'
import { compareJsonSchemas } from '../difference/json-schema.js'
import { type Node, openForest, type Plant } from '../difference/tree.js'
import { compareXml } from '../difference/xml.js'
import { compareXmlSchemas } from '../difference/xml-schema.js'
import { xmlTree } from '../difference/xml-tree.js'
import { directoryOf, recordFile } from '../store/layout.js'
import type { Repository } from '../store/repository.js'
import { parseJson } from '../validation/json-text.js'
import { decodeXml } from '../validation/xml-text.js'
import { openComparisons } from './comparisons.js'
import { differenceOf } from './difference.js'
import { type Documents, hashOf } from './documents.js'
import { furtherFiles } from './references.js'
import type { Difference, FileChange, Lineage, Origin } from './services.js'

export interface LineageOptions {
  readonly committed: Queries
  readonly documents: Documents
  readonly repository: Repository
}

/** Bytes of a document that is compared part by part: the event loop waits for it. */
export const longestCompared = 512 * 1024
/** Bytes of all files, before and after, that are compared as text. */
const longestText = 16 * 1024 * 1024
/** Milliseconds the event loop waits for the comparison of one of them, where there is no git binary. */
const patience = 500
/** What an answer tells of, and what {@link Lineage.blame} looks at. */
const most = {
  /** Parts of the document, as each is told of. */
  parts: 50_000,
  /** Characters of the names of all places an answer tells of: one name may be as long as the document. */
  names: 8 * 1024 * 1024,
  /** Former documents, and their bytes in all. */
  states: 1000,
  bytes: 8 * 1024 * 1024,
}
/** Parts of documents that are remembered, in all. */
const remembered = 250_000

/** What is known of a list of documents, whoever made them. */
interface Findings {
  readonly blamed: readonly Blamed[]
  /** Documents that were looked at, where it was not all that mattered. */
  readonly cutAfter?: number
}

export function openLineage({ committed, documents, repository }: LineageOptions): Lineage {
  const known = new LRUCache<string, Findings>({
    maxSize: remembered,
    sizeCalculation: ({ blamed }) => blamed.length,
  })

  const comparisons = openComparisons()

  async function originOf({ version, commit, time }: Omit<Origin, 'author'>): Promise<Origin> {
    const { authorName } = await repository.history.commit(commit)
    return { version, commit, time, author: authorName }
  }

  async function documentOf({ document }: Pick<Revision, 'document'>): Promise<Buffer> {
    const bytes = await documents.read(document)
    if (bytes.length <= longestCompared) return bytes
    throw new ProblemError(
      'too-large',
      `The document has ${bytes.length} bytes, and up to ${longestCompared} are compared part by part. ` +
        'Ask diff for text/x-diff, or clone the repository.',
    )
  }

  async function compare(from: Revision, to: Revision): Promise<Difference['document']> {
    const type = to.documentType
    if (from.documentType !== type) return { type }
    if (from.document === to.document) return { type, changes: [] }
    const [before, after] = await Promise.all([documentOf(from), documentOf(to)])
    const isSchema = to.kind === 'schema'
    if (type === 'JSON') {
      const compared = isSchema ? compareJsonSchemas : compareJson
      return { type, changes: tellable(compared(parseJson(before), parseJson(after))) }
    }
    const compared = isSchema ? compareXmlSchemas : compareXml
    return { type, changes: tellable(compared(decodeXml(before), decodeXml(after))) }
  }

  /** @param runs newest first */
  async function trace(runs: readonly DocumentRun[]): Promise<Findings> {
    const plant = openForest()
    const [newest] = runs
    if (!newest) throw new Error('A revision has no document.')
    const bytes = await documentOf(newest)
    const trace = openTrace(treeOf(plant, newest.documentType, bytes))
    if (trace.open > most.parts) {
      throw new ProblemError(
        'too-large',
        `The document has ${trace.open} parts, and each of up to ${most.parts} is told of.`,
      )
    }
    let total = bytes.length
    for (let at = 1; at < runs.length && trace.open > 0; at++) {
      const run = runs[at]
      // All that is left came with the first document of this language.
      if (run?.documentType !== newest.documentType) break
      const older = await documents.read(run.document)
      total += older.length
      if (at > most.states || total > most.bytes || older.length > longestCompared) {
        return { blamed: tellable(trace.blamed()), cutAfter: at }
      }
      trace.back(treeOf(plant, run.documentType, older))
      await nextTurn()
    }
    return { blamed: tellable(trace.blamed()) }
  }

  return {
    versions: revisions =>
      Promise.all(
        revisions.map(async ({ version, previous, commit, time, documentHash, files }) => {
          const [{ authorName, subject }, recordHash] = await Promise.all([
            repository.history.commit(commit),
            documents.read(files.get(recordFile) as Oid).then(hashOf),
          ])
          const origin = { version, commit, time, author: authorName }
          return { ...origin, ...(previous && { previous }), message: subject, recordHash, documentHash }
        }),
      ),

    async difference(from, to, shown) {
      const [document, ...origins] = await Promise.all([compare(from, to), originOf(from), originOf(to)])
      const common = {
        from: origins[0],
        to: origins[1],
        record: compareJson(shown(from), shown(to)),
        document,
      }
      if (to.kind === 'metadata') return common
      const files = fileChanges(from, to)
      const changes = (document.changes ?? [undecided]).map(({ effect = 'neutral' }) => ({ effect }))
      return { ...common, effect: worst([...changes, ...files]), files }
    },

    async patch(from, to) {
      if (from.documentType !== 'JSON' || to.documentType !== 'JSON') {
        throw new ProblemError(
          'not-acceptable',
          'A JSON Patch is of JSON documents, and this one is XML: ask for application/json or text/x-diff.',
        )
      }
      const [before, after] = await Promise.all([documentOf(from), documentOf(to)])
      return patchOf(tellable(compareJson(parseJson(before), parseJson(after))))
    },

    async text(from, to, signal) {
      const changed = [...from.files, ...to.files].filter(([path, oid]) => {
        return oid !== from.files.get(path) || oid !== to.files.get(path)
      })
      const files = await Promise.all(changed.map(([, oid]) => documents.read(oid)))
      const length = files.reduce((sum, bytes) => sum + bytes.length, 0)
      if (length > longestText) {
        throw new ProblemError(
          'too-large',
          `The files that differ have ${length} bytes, and up to ${longestText} are compared. Clone the repository.`,
        )
      }
      return await differenceOf(
        repository,
        directoryOf(to.kind, to.id),
        from.commit,
        to.commit,
        patience,
        comparisons,
        signal,
      )
    },

    async blame(revision) {
      const runs = committed.documentRuns(revision)
      const key = hashOf(Buffer.from(runs.map(run => run.documentType + run.document).join()))
      const found = known.get(key) ?? (await trace(runs))
      known.set(key, found)
      const states = [...new Set(found.blamed.map(({ state }) => state))]
      const origins = new Map<number, Origin>()
      await Promise.all(
        states.map(async state => origins.set(state, await originOf(runs[state]?.first ?? revision))),
      )
      const members = found.blamed.map(({ path, state }) => ({ path, ...(origins.get(state) as Origin) }))
      const oldest = found.cutAfter === undefined ? undefined : runs[found.cutAfter - 1]
      return {
        version: revision.version,
        type: revision.documentType,
        members,
        ...(oldest && { cut: oldest.first.version }),
      }
    },
  }
}

/** @throws ProblemError `too-large` */
function tellable<T extends { readonly path: string }>(places: readonly T[]): readonly T[] {
  const length = places.reduce((sum, { path }) => sum + path.length, 0)
  if (length <= most.names) return places
  throw new ProblemError(
    'too-large',
    `The names of the ${places.length} places to tell of have ${length} characters, and up to ${most.names} are told: ` +
      'the document is nested too deeply, or its members have very long names. Ask diff for text/x-diff, or clone the repository.',
  )
}

function treeOf(plant: Plant, type: DocumentType, bytes: Buffer): Node {
  return type === 'JSON' ? jsonTree(plant, parseJson(bytes)) : xmlTree(plant, decodeXml(bytes))
}

/** What a file means for documents is not looked into. */
function fileChanges(from: Revision, to: Revision): readonly FileChange[] {
  const [before, after] = [furtherFiles(from.files), furtherFiles(to.files)]
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1))
  return paths
    .filter(path => before.get(path) !== after.get(path))
    .map(path => ({
      op: after.has(path) ? (before.has(path) ? 'replace' : 'add') : 'remove',
      path,
      ...undecided,
    }))
}
