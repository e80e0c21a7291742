import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import type { Client } from '../../core/access-control.js'
import { isPlain } from '../../core/plain-mode.js'
import { unlessDamaged } from '../../core/problem.js'
import type { Revision } from '../../core/records/revision.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import { Html, type HtmlPart } from '../../http/html-template.js'
import { attachedFiles } from '../../service/rules/schema-source.js'
import { copyIfShared } from '../../store/blobs/blob-reader.js'
import { openWorkerThread, ThreadEnded } from '../../store/workers/worker-thread.js'
import type { SchemaBundle } from '../../validation/validator.js'
import type { DrawJob } from './draw.js'

/** Draws documents by their schemas, and schemas. */
export interface DocumentView {
  /**
   * Draws the document of a revision.
   * @param schema the schema that a metadata document follows, if the caller may read it
   * @returns nothing if the document is too large, damaged, or has nothing to draw
   */
  draw(revision: Revision, schema: Revision | undefined, client: Client | undefined): Promise<HtmlPart>
  close(): Promise<void>
}

/** Limits of the bytes of a document and of a schema with its files, and of the jobs that wait. */
const most = { document: 4 * 2 ** 20, schema: 4 * 2 ** 20, waiting: 64 }
/** Limit of the characters of the drawings that are kept. */
const maxKept = 16 * 2 ** 20

type ReadParts = Pick<CoreParts, 'readDocument' | 'blobSize' | 'documents' | 'report'>

/**
 * Fast path, for fairness and not for speed: the longest drawing keeps the thread busy, and not the event loop. Plain
 * path: the event loop draws.
 * @see docs/decisions/011-fast-paths.md
 */
export function openDocumentView(parts: ReadParts): DocumentView {
  const thread = openWorkerThread<DrawJob, string>(new URL('./draw-thread.js', import.meta.url))
  const inTurn = openOneAtATime({
    maxWaiting: most.waiting,
    refusal: 'Many pages wait to be drawn. Try again.',
    retryAfter: 5,
  })
  const kept = new LRUCache<string, string>({ maxSize: maxKept })

  /** The schema with its own files. Nothing else is read, so that nothing of other schemas is shown. */
  async function bundleOf(schema: Revision): Promise<SchemaBundle | undefined> {
    const files = [...attachedFiles(schema)]
    const sizes = await Promise.all([schema.document, ...files.map(([, blob]) => blob)].map(parts.blobSize))
    if (sizes.reduce((sum, size) => sum + size, 0) > most.schema) return undefined
    const read = files.map(
      async ([path, blob]) => [path, copyIfShared(await parts.documents.read(blob))] as const,
    )
    return {
      key: keyOf(schema),
      type: schema.documentType,
      document: copyIfShared(await parts.readDocument(schema)),
      files: new Map(await Promise.all(read)),
      registered: new Map(),
    }
  }

  async function jobFor(revision: Revision, schema: Revision | undefined): Promise<DrawJob | undefined> {
    if (revision.kind === 'schema') {
      const own = await bundleOf(revision)
      return own && { of: 'schema', schema: own }
    }
    if ((await parts.blobSize(revision.document)) > most.document) return undefined
    return {
      of: 'document',
      type: revision.documentType,
      document: copyIfShared(await parts.readDocument(revision)),
      schema: schema && (await unlessDamaged(() => bundleOf(schema))),
    }
  }

  async function run(job: DrawJob, client: Client | undefined): Promise<string> {
    // Loaded here: a server that draws in the thread does not need the modules that draw.
    if (isPlain) return (await import('./draw.js')).runDrawJob(job)
    try {
      return await inTurn(() => thread.run(job), client, client?.signal)
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown
      parts.report(`A document could not be drawn: ${thrown.message}`)
      return ''
    }
  }

  return {
    async draw(revision, schema, client) {
      const key = `${keyOf(revision)} ${schema ? keyOf(schema) : ''}`
      const known = kept.get(key)
      if (known !== undefined) return new Html(known)
      const job = await unlessDamaged(() => jobFor(revision, schema))
      if (!job) return undefined
      const markup = await run(job, client)
      if (markup === '') return undefined
      kept.set(key, markup, { size: markup.length })
      return new Html(markup)
    },
    close: thread.close,
  }
}

/** Equal for revisions with equal documents and files. */
function keyOf(revision: Revision): string {
  return [revision.document, ...[...attachedFiles(revision)].flat()].join(' ')
}
