import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { type FinishedProcess, runMetastore, runProgram, temporaryFolder } from '../program/run-program.js'
import { copyPrepared } from './prepared-folder.js'
import { waitUntil } from './test-repository.js'

/** A metadata record of the example repository. It follows the schema `measurement`. */
export const exampleRecordFolder = 'metadata/1/1/d/5/11d5f0c6-6a2b-4f0e-9d53-0b8f3f7a52c4'
export const exampleRecordId = '11d5f0c6-6a2b-4f0e-9d53-0b8f3f7a52c4'

/** The example repository, and the actions of a person with an editor and with git. */
export interface ExampleRepository {
  /** The parent folder of the data folder. */
  readonly folder: string
  readonly data: string
  /** Runs git in the data folder, again if a server has locked the index. @returns trimmed standard output */
  git(...args: string[]): Promise<string>
  /** Runs git in the data folder, which may fail. */
  tryGit(...args: string[]): Promise<FinishedProcess>
  edit(path: string, change: (text: string) => string): Promise<void>
  write(path: string, text: string): Promise<void>
  /** Runs `git-metastore` on the data folder. */
  run(...args: string[]): Promise<FinishedProcess>
}

/** @param options of `init` */
export async function initExampleRepository(...options: string[]): Promise<ExampleRepository> {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  await copyPrepared(`init ${options.join(' ')}`, data, made => initialise(made, options))
  return exampleRepositoryAt(folder, data)
}

/** An XML record of the example repository, about a rod. */
export const rodId = '7c2e9b14-3f58-4a6d-8e01-5d9a4c6b7f20'

/** Makes an example repository whose record about a rod has a second version, with another mass. */
export async function copyRodWithTwoVersions(data: string): Promise<void> {
  await copyPrepared('two versions', data, async made => {
    await initialise(made, [])
    const changed = await readFile(join(made, recordFolder(rodId), 'document.xml'), 'utf8')
    const file = join(made, '..', 'new.xml')
    await writeFile(file, changed.replace('48.25', '48.20'))
    const { code, stderr } = await runMetastore(['update', rodId, file, '--data', made])
    expect(code, stderr).to.equal(0)
  })
}

/** Runs `git-metastore init`. */
export async function initialise(data: string, options: readonly string[]): Promise<void> {
  const { code, stderr } = await runMetastore(['init', data, ...options])
  expect(code, stderr).to.equal(0)
}

export function exampleRepositoryAt(folder: string, data: string): ExampleRepository {
  const tryGit = (...args: string[]) => runProgram('git', ['-C', data, ...args])
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(data, path)), { recursive: true })
    await writeFile(join(data, path), text)
  }
  return {
    folder,
    data,
    tryGit,
    async git(...args) {
      const { code, stdout, stderr } = await waitUntil(`git ${args[0]}, which needs the index`, async () => {
        const ended = await tryGit(...args)
        return !ended.stderr.includes("index.lock': File exists") && ended
      })
      expect(code, `git ${args.join(' ')}: ${stderr}`).to.equal(0)
      return stdout.trim()
    },
    edit: async (path, change) => write(path, change(await readFile(join(data, path), 'utf8'))),
    write,
    run: (...args) => runMetastore([...args, '--data', data]),
  }
}

/** A valid document of the schema `measurement`, and an invalid one. */
export const goodDocument = (title: string) =>
  `${JSON.stringify({ title, date: '2026-03-14', instrument: { name: 'SEM' } }, undefined, 2)}\n`
export const badDocument = '{\n  "title": "Without the rest"\n}\n'

/** The smallest record of a document that follows `measurement`. */
export const smallRecord = (resource: string) =>
  `${JSON.stringify({
    schema: { schemaId: 'measurement' },
    relatedIdentifiers: [{ value: resource, relationType: 'IS_METADATA_FOR' }],
  })}\n`

/** Creates a record with a valid document through a server. @returns the status of the answer */
export async function postExampleRecord({ url }: { readonly url: string }, id: string): Promise<number> {
  const record = {
    id,
    relatedResource: { identifier: `https://example.org/${id}`, identifierType: 'URL' },
    schema: { identifier: 'measurement', identifierType: 'INTERNAL' },
  }
  const body = new FormData()
  body.set('record', new Blob([JSON.stringify(record)], { type: 'application/json' }), 'record.json')
  body.set('document', new Blob([goodDocument(id)]), 'document.json')
  const answer = await fetch(`${url}api/v1/metadata`, { method: 'POST', body })
  await answer.arrayBuffer()
  return answer.status
}

/** Folder of the metadata record with a UUID. */
export function recordFolder(id: string): string {
  return `metadata/${[...id.slice(0, 4)].join('/')}/${id}`
}

/**
 * Lists the files in a folder with their sizes, modes and times, to check that nothing changes. It omits derived files,
 * because SQLite creates files while a database is open. It omits packs, because git renews the time of a pack with a
 * needed object.
 */
export async function modificationTimes(folder: string): Promise<string> {
  const { stdout } = await runProgram(
    'find',
    ['.', '-not', '-path', '*/git-metastore*', '-not', '-name', '*.pack', '-printf', '%p %s %m %T@\n'],
    { cwd: folder },
  )
  return stdout.split('\n').toSorted().join('\n')
}
