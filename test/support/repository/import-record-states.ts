import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Collection } from '../../../src/core/records/collection.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { encodeRecord } from '../../../src/store/records/record-json.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import type { TestRepository } from './test-repository.js'

/** A new state of a JSON record, and the time of its commit. */
export interface RecordState {
  readonly kind: Collection
  readonly record: StoredRecord
  readonly document: string
  /** Time in ISO 8601. */
  readonly time: string
}

/**
 * Commits states of records like a server, in one commit each, at chosen times. It uses `git fast-import`, so the
 * repository must be bare, and the services must not be running.
 */
export async function importRecords({ dir }: TestRepository, states: readonly RecordState[]): Promise<void> {
  const stream: (string | Buffer)[] = []
  const data = (content: string | Buffer) => {
    const bytes = Buffer.from(content)
    stream.push(`data ${bytes.length}\n`, bytes, '\n')
  }
  states.forEach(({ kind, record, document, time }, index) => {
    const seconds = Math.floor(Date.parse(time) / 1000)
    stream.push(
      'commit refs/heads/main\n',
      `committer git-metastore <service@git-metastore> ${seconds} +0000\n`,
    )
    data(`Update ${kind} ${record.id}\n\nRecorded-At: ${new Date(time).toISOString()}\n`)
    if (index === 0) stream.push('from refs/heads/main^0\n')
    const directory = recordDirectory(kind, record.id)
    stream.push(`M 100644 inline ${directory}/record.json\n`)
    data(encodeRecord(record))
    stream.push(`M 100644 inline ${directory}/${documentFileName(kind, 'JSON')}\n`)
    data(document)
  })
  const git = spawn('git', ['fast-import', '--quiet'], { cwd: dir, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(git, 'close')
  git.stdin.end(Buffer.concat(stream.map(part => Buffer.from(part))))
  const [code] = (await ended) as [number]
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`)
}
