import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Collection, DocumentType } from '../../../src/core/records/collection.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { type Id, type Instant, type Oid, type Sha1, toOid } from '../../../src/core/value-types.js'
import { encodeRecord } from '../../../src/store/records/record-json.js'
import {
  documentFileName,
  recordDirectory,
  recordFile,
} from '../../../src/store/records/repository-layout.js'
import type { WrittenRevision } from '../../../src/store/write/catalog-interface.js'
import { gitSync } from '../program/run-synchronously.js'

/** Content that a commit writes at a path: the bytes of a file, or an entry that a record folder must not have. */
export type Content = string | { readonly link: string } | { readonly module: string }

/**
 * Builds a history with `git fast-import`, thousands of commits per second. The commits are those of people and of a
 * server.
 */
export interface HistoryBuilder {
  readonly gitDir: string
  /** Adds a commit of a person that writes and removes files or folders. @returns its index */
  person(commit: {
    readonly write?: Readonly<Record<string, Content>>
    readonly remove?: readonly string[]
    /** Seconds since 1970. */
    readonly at?: number
    /** Whether the commit merges a side branch with the same changes. */
    readonly merge?: boolean
    /** Name of the author; the committer is always Jane. */
    readonly author?: string | Uint8Array
  }): number
  /**
   * Adds a commit of a server.
   * @returns a function for the revision that the server would pass to the catalog, after `finish`
   */
  server(kind: Collection, id: Id, state?: ServerState): () => WrittenRevision
  /** Runs git. @returns the commits in order */
  finish(): Promise<readonly Oid[]>
  remove(): void
}

export interface ServerState {
  readonly record: StoredRecord
  readonly documentType: DocumentType
  readonly document: string
  readonly files?: Readonly<Record<string, string>>
}

const epoch = 1_780_000_000

export function buildHistory(): HistoryBuilder {
  const gitDir = mkdtempSync(path.join(tmpdir(), 'git-metastore-catalog-'))
  gitSync(['init', '-q', '--bare', '-b', 'main', gitDir])
  const stream: (string | Buffer)[] = []
  const marksFile = path.join(gitDir, 'marks')
  let commits = 0
  let side = 0
  let oids: readonly Oid[] = []

  const markOf = (index: number) => `:${index + 1}`

  function data(bytes: string | Buffer): void {
    const buffer = Buffer.from(bytes)
    stream.push(`data ${buffer.length}\n`, buffer, '\n')
  }

  function changes(write: Readonly<Record<string, Content>>, remove: readonly string[]): void {
    for (const file of remove) stream.push(`D ${file}\n`)
    for (const [file, content] of Object.entries(write)) {
      if (typeof content === 'string') {
        stream.push(`M 100644 inline ${file}\n`)
        data(content)
      } else if ('link' in content) {
        stream.push(`M 120000 inline ${file}\n`)
        data(content.link)
      } else stream.push(`M 160000 ${content.module} ${file}\n`)
    }
  }

  function begin(
    ref: string,
    mark: string,
    committer: string,
    seconds: number,
    message: string,
    author: string | Buffer = committer,
  ): void {
    stream.push(`commit ${ref}\n`, `mark ${mark}\n`, 'author ', author, ` ${seconds} +0000\n`)
    stream.push(`committer ${committer} ${seconds} +0000\n`)
    data(message)
  }

  return {
    gitDir,

    person({ write = {}, remove = [], at = epoch, merge = false, author = 'Jane' }) {
      const committer = 'Jane <jane@example.org>'
      const by = Buffer.concat([Buffer.from(author), Buffer.from(' <author@example.org>')])
      const parent = commits > 0 ? `from ${markOf(commits - 1)}\n` : ''
      let sideMark: string | undefined
      if (merge && parent) {
        side++
        sideMark = `:${1_000_000 + side}`
        begin(`refs/heads/side${side}`, sideMark, committer, at, 'On the side\n', by)
        stream.push(parent)
        changes(write, remove)
      }
      begin('refs/heads/main', markOf(commits), committer, at, sideMark ? 'Merge\n' : 'By hand\n', by)
      stream.push(parent)
      if (sideMark) stream.push(`merge ${sideMark}\n`)
      changes(write, remove)
      return commits++
    },

    server(kind, id, state) {
      const index = commits++
      const time = (epoch + index) * 1000 + 123
      const directory = recordDirectory(kind, id)
      const recordedAt = new Date(time).toISOString()
      const committer = 'git-metastore <service@git-metastore>'
      begin(
        'refs/heads/main',
        markOf(index),
        committer,
        epoch + index,
        `Update ${kind} ${id}\n\nRecord: ${kind} ${id}\nRecorded-At: ${recordedAt}\n`,
      )
      if (index > 0) stream.push(`from ${markOf(index - 1)}\n`)
      const bytes = new Map<string, string | Buffer>()
      if (state) {
        bytes.set(recordFile, encodeRecord(state.record))
        bytes.set(documentFileName(kind, state.documentType), state.document)
        for (const [file, content] of Object.entries(state.files ?? {})) bytes.set(file, content)
      }
      stream.push(`D ${directory}\n`)
      for (const [file, content] of bytes) {
        stream.push(`M 100644 inline ${directory}/${file}\n`)
        data(content)
      }
      return () => {
        const commit = oids[index]
        if (commit === undefined) throw new Error('The history is not finished.')
        const files = new Map([...bytes].map(([file, content]) => [file, blobOf(content)]))
        return {
          kind,
          id,
          commit,
          time: time as Instant,
          ...(state && {
            state: {
              record: state.record,
              recordBlob: blobOf(encodeRecord(state.record)),
              documentType: state.documentType,
              documentHash: sha1Of(state.document),
              files,
            },
          }),
        }
      }
    },

    async finish() {
      const commands = Buffer.concat(stream.map(part => Buffer.from(part)))
      gitSync(['fast-import', '--quiet', `--export-marks=${marksFile}`], gitDir, commands)
      const marks = readFileSync(marksFile, 'utf8')
        .split('\n')
        .map(line => /^:(\d+) ([0-9a-f]{40})$/.exec(line))
        .flatMap(found => (found ? [[Number(found[1]), toOid(found[2] ?? '')] as const] : []))
        .filter(([mark]) => mark <= commits)
        .sort(([a], [b]) => a - b)
      oids = marks.map(([, oid]) => oid)
      return oids
    },

    remove: () => rmSync(gitDir, { recursive: true, force: true }),
  }
}

export function sha1Of(content: string | Buffer): Sha1 {
  return createHash('sha1').update(content).digest('hex') as Sha1
}

export function blobOf(content: string | Buffer): Oid {
  const bytes = Buffer.from(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') as Oid
}
