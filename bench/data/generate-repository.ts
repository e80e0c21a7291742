import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Collection } from '../../src/core/records/collection.js'
import { asVersion, type Id, toInstant, type Version } from '../../src/core/value-types.js'
import { metadataSubject, recordLabel, recordTrailers } from '../../src/service/updates/commit-messages.js'
import {
  commitMessage,
  identityLine,
  type NewCommit,
  serviceIdentity,
} from '../../src/store/objects/commit-format.js'
import { documentFileName, recordDirectory, recordFile } from '../../src/store/records/repository-layout.js'
import { createRepository } from '../../src/store/work-tree/create-repository.js'
import { git } from '../baselines/plain-git.js'
import {
  documentOf,
  idOf,
  recordOf,
  schemaDocument,
  schemaIdOf,
  schemaOf,
  schemaRecord,
} from './generated-records.js'
import { mix, openRandom } from './seeded-random.js'

export interface GenerateOptions {
  /** Number of metadata records. */
  readonly records: number
  /** Average number of versions of a record. Many records have one, and few have many. */
  readonly versions: number
  readonly schemas: number
  /** The same seed and numbers give the same commits. */
  readonly seed: string
  /** Whether the repository has no work tree. */
  readonly bare: boolean
  /** Share of the metadata records that everyone may read; default: 0.8. */
  readonly shown?: number | undefined
  /** Records of a commit, as after an import; default: 1, as by single requests. */
  readonly together?: number | undefined
  /** Whether documents have a title only, which makes a repository of many records in minutes. */
  readonly brief?: boolean | undefined
  progress?(done: number, total: number): void
}

/** Time of the first commit. The others follow in equal steps until `lastTime`. */
const firstTime = Date.UTC(2020, 0, 1)
const lastTime = Date.UTC(2025, 0, 1)
/** Number of bytes that are passed to git at once. */
const chunkSize = 1 << 20

/**
 * Makes a repository of any size in a missing or empty folder. Each revision is a commit like those of the server,
 * streamed to `git fast-import`. This process needs four bytes of memory per record, and git needs memory for the
 * trees.
 * @returns number of commits after the first
 */
export async function generate(folder: string, options: GenerateOptions): Promise<number> {
  const { schemas, seed, bare, together = 1, brief = false } = options
  const files = new Map([['metastore.json', marker(seed)]])
  await createRepository(folder, { bare, files, now: new Date(firstTime) })
  const total = schemas + revisionCount(options)
  const importer = openImporter(bare ? folder : join(folder, '.git'), total)
  for (let number = 0; number < schemas; number++) {
    const id = schemaIdOf(number)
    const files = { record: schemaRecord(number), document: schemaDocument(number) }
    const message = {
      subject: `Register ${recordLabel('schema', id)}`,
      trailers: recordTrailers('schema', id, asVersion(1)),
    }
    await importer.commit(message, [{ kind: 'schema', id, ...files }])
  }
  let done = schemas
  let batch: ImportedRecord[] = []
  for (const { number, version } of revisions(options)) {
    const id = idOf(seed, number)
    const schema = schemaOf(seed, number, schemas)
    const record = recordOf(seed, number, version, schema, options.shown)
    const document = documentOf(seed, number, version, schema, brief)
    batch.push({ kind: 'metadata', id, record, document })
    options.progress?.(++done, total)
    if (batch.length < together && done < total) continue
    const follows = { schemaId: schemaIdOf(schema), version: asVersion(1) }
    await importer.commit(
      together === 1
        ? {
            subject: metadataSubject(id, follows, version === 1 ? undefined : version),
            trailers: recordTrailers('metadata', id, version),
          }
        : { subject: `Add ${batch.length} documents`, trailers: [] },
      batch,
    )
    batch = []
  }
  await importer.end()
  if (!bare) git(folder, 'reset', '-q', '--hard')
  return total
}

/** Yields the revisions of the metadata records in the order of history. The revisions of the schemas precede them. */
export function* revisions(
  options: Pick<GenerateOptions, 'records' | 'versions' | 'schemas' | 'seed'>,
): Generator<{ readonly number: number; readonly version: Version }> {
  const { records, seed } = options
  const counts = new Uint32Array(records)
  const random = openRandom(mix(seed, 0))
  for (let left = revisionCount(options), made = 0; left > 0; left--) {
    const isNew = made < records && (made === 0 || random.next() * left < records - made)
    // The square prefers older records, so that some records get many revisions.
    const number = isNew ? made++ : Math.floor(random.next() ** 2 * made)
    const version = asVersion((counts[number] ?? 0) + 1)
    counts[number] = version
    yield { number, version }
  }
}

function revisionCount({ records, versions }: Pick<GenerateOptions, 'records' | 'versions'>): number {
  return Math.max(records, Math.round(records * versions))
}

function marker(seed: string): Buffer {
  const about = { layout: 1, name: 'Generated', description: `Made for measurements, with the seed ${seed}.` }
  return Buffer.from(`${JSON.stringify(about, undefined, 2)}\n`)
}

/** The files of a record in a commit. */
interface ImportedRecord {
  readonly kind: Collection
  readonly id: Id
  readonly record: Buffer
  readonly document: Buffer
}

/** Opens a `git fast-import` for commits. @see git-fast-import(1) */
function openImporter(gitDir: string, total: number) {
  const child: ChildProcess = spawn('git', [`--git-dir=${gitDir}`, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const { stdin } = child
  if (!stdin) throw new Error('git fast-import has no standard input.')
  let broken: Error | undefined
  stdin.on('error', error => {
    broken = error
  })
  const ended = once(child, 'close')
  let chunk: (string | Buffer)[] = []
  let size = 0
  let commits = 0
  let isFirst = true
  const add = (part: string | Buffer) => {
    chunk.push(part)
    size += part.length
  }
  const data = (bytes: Buffer) => {
    add(`data ${bytes.length}\n`)
    add(bytes)
    add('\n')
  }
  async function flush(): Promise<void> {
    if (broken) throw broken
    const bytes = Buffer.concat(chunk.map(part => (typeof part === 'string' ? Buffer.from(part) : part)))
    chunk = []
    size = 0
    if (!stdin?.write(bytes)) await Promise.race([once(stdin as NodeJS.WritableStream, 'drain'), ended])
  }
  return {
    async commit(
      message: Pick<NewCommit, 'subject' | 'trailers'>,
      records: readonly ImportedRecord[],
    ): Promise<void> {
      commits += records.length
      const step = (lastTime - firstTime) / total
      const time = toInstant(Math.ceil(firstTime + commits * step))
      add('commit refs/heads/main\n')
      add(`author SELF <self@git-metastore> ${Math.floor(time / 1000)} +0000\n`)
      add(`committer ${identityLine(serviceIdentity, time)}\n`)
      data(Buffer.from(commitMessage({ ...message, time })))
      if (isFirst) add('from refs/heads/main^0\n')
      isFirst = false
      for (const { kind, id, record, document } of records) {
        const directory = recordDirectory(kind, id)
        add(`M 100644 inline ${directory}/${recordFile}\n`)
        data(record)
        add(`M 100644 inline ${directory}/${documentFileName(kind, 'JSON')}\n`)
        data(document)
        if (size >= chunkSize) await flush()
      }
    },
    async end(): Promise<void> {
      await flush()
      stdin.end()
      const [code] = await ended
      if (code !== 0) throw new Error(`git fast-import ended with ${code}.`)
    },
  }
}
